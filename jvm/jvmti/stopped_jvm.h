/* SPDX-License-Identifier: MIT */
/*
 * Calls a function while the JVM has stopped all Java threads. Agents cannot
 * request such a stop directly. But the JVM stops its threads while it walks
 * its heap for an agent, and calls the agent during this walk.
 */
#ifndef CLEW_JVM_JVMTI_STOPPED_JVM_H
#define CLEW_JVM_JVMTI_STOPPED_JVM_H

#include <jvmti.h>

/*
 * Calls does() once, while all Java threads are stopped; does() must not call
 * the JVM. The environment must have the capability can_tag_objects. Returns 0,
 * or -1 if does() was not called.
 */
int stopped_jvm_do(jvmtiEnv *jvmti, void (*does)(void));

#endif
