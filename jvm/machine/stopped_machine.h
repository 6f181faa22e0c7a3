/* SPDX-License-Identifier: MIT */
/*
 * Something that is done while a machine has stopped all its threads. Agents cannot ask for
 * that; but it stops them to look through its heap, and calls them meanwhile for each object.
 */
#ifndef CLEW_JVM_MACHINE_STOPPED_MACHINE_H
#define CLEW_JVM_MACHINE_STOPPED_MACHINE_H

#include <jvmti.h>

/* Of an environment that can_tag_objects. 0 or -1: it has not been done. */
int stopped_machine_do(jvmtiEnv *jvmti, void (*does)(void));

#endif
