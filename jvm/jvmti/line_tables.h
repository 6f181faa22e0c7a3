/* SPDX-License-Identifier: MIT */
/*
 * Source positions of Java methods: the source file, and the line of each
 * bytecode, if the class file contains them. clew requests the positions from
 * the JVM once for each method, and writes them into the recording (struct
 * wire_line); no copy stays in memory.
 */
#ifndef CLEW_JVM_JVMTI_LINE_TABLES_H
#define CLEW_JVM_JVMTI_LINE_TABLES_H

#include <jvmti.h>
#include <stdint.h>

/*
 * Requests the capabilities for lines and source files. If the JVM refuses, the
 * recording contains no lines of Java methods.
 */
void line_tables_begin(jvmtiEnv *jvmti);

/*
 * Records the source file and the lines of a method that has just got its
 * number. Records nothing if the JVM does not know one of them, or if there are
 * too many lines for a record. `class` is the method's class, and class_name
 * the signature of this class.
 */
void line_tables_record(jvmtiEnv *jvmti, jmethodID method, jclass class,
			const char *class_name, uint32_t number);

/*
 * Returns the line of a method's first instruction, and stores the name of the
 * source file, without a folder, in *file; the caller frees the name by the
 * Deallocate() of the environment. If the line or the file is unknown, returns
 * 0, and *file becomes NULL.
 */
uint16_t line_tables_beginning(jvmtiEnv *jvmti, jmethodID method, jclass class,
			       char **file);

#endif
