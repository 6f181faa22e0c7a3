/* SPDX-License-Identifier: MIT */
/*
 * Where Java methods are written: the source file, and the line of each bytecode. A
 * method's class may say so; the machine is asked once a method, and the recording
 * has the table (struct wire_line), so that nothing of it stays in memory.
 */
#ifndef CLEW_JVM_MACHINE_LINE_TABLES_H
#define CLEW_JVM_MACHINE_LINE_TABLES_H

#include <jvmti.h>
#include <stdint.h>

/*
 * Ask for what telling lines needs, while the machine is being started. Without, no
 * method has lines.
 */
void line_tables_begin(jvmtiEnv *jvmti);

/* A method that has just got its number. class: its own, with that signature. */
void line_tables_tell(jvmtiEnv *jvmti, jmethodID method, jclass class,
		      const char *class_name, uint32_t number);

/*
 * The line of the first of a method's instructions, and its class's source file without a
 * folder, which is to be given back (jvmtiEnv::Deallocate). 0: nobody knows, and
 * *file is NULL.
 */
uint16_t line_tables_beginning(jvmtiEnv *jvmti, jmethodID method, jclass class,
			       char **file);

#endif
