/* SPDX-License-Identifier: MIT */
/*
 * Source positions of Java methods: the source file, and the line of each
 * bytecode. The JVM is asked once for each method, if the class has the data.
 * The recording contains the table (struct wire_line), and no copy stays in
 * memory.
 */
#ifndef CLEW_JVM_MACHINE_LINE_TABLES_H
#define CLEW_JVM_MACHINE_LINE_TABLES_H

#include <jvmti.h>
#include <stdint.h>

/*
 * Requests the capabilities for lines while the JVM is being started. If that
 * fails, no method has lines.
 */
void line_tables_begin(jvmtiEnv *jvmti);

/*
 * Records the lines of a method that has just got its number. `class` is the
 * method's class, with that signature.
 */
void line_tables_tell(jvmtiEnv *jvmti, jmethodID method, jclass class,
		      const char *class_name, uint32_t number);

/*
 * Returns the line of a method's first instruction, and stores the source file
 * without a folder, which the caller frees (jvmtiEnv::Deallocate). Returns 0 if
 * it is unknown; *file is then NULL.
 */
uint16_t line_tables_beginning(jvmtiEnv *jvmti, jmethodID method, jclass class,
			       char **file);

#endif
