/* SPDX-License-Identifier: MIT */
/*
 * Does work while the JVM has stopped all its threads. Agents cannot request
 * such a stop. But the JVM stops its threads to walk its heap, and calls the
 * agent for each object meanwhile.
 */
#ifndef CLEW_JVM_MACHINE_STOPPED_MACHINE_H
#define CLEW_JVM_MACHINE_STOPPED_MACHINE_H

#include <jvmti.h>

/*
 * Calls does() once. The environment must have the capability can_tag_objects.
 * Returns 0, or -1 if the work was not done.
 */
int stopped_machine_do(jvmtiEnv *jvmti, void (*does)(void));

#endif
