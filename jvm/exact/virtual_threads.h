/* SPDX-License-Identifier: MIT */
/*
 * Gives virtual threads contexts of their own (tracker_natives.h), if the JVM
 * reports when they are mounted and unmounted.
 */
#ifndef CLEW_JVM_EXACT_VIRTUAL_THREADS_H
#define CLEW_JVM_EXACT_VIRTUAL_THREADS_H

#include <jvmti.h>

/* Returns whether the JVM has virtual threads: Java 21 or later. */
int virtual_threads_are_there(jvmtiEnv *jvmti);

/*
 * Adds the capability that events of virtual threads need, for a JVM that has
 * virtual threads.
 */
void virtual_threads_want(jvmtiCapabilities *capabilities);

/*
 * Requests the events of mounting and unmounting, which call
 * tracker_natives_mounted() and tracker_natives_unmounted(). Returns 0, or -1
 * if the JVM does not send both events. Called after all other callbacks are
 * set, because SetEventCallbacks() removes the callbacks of extension events.
 */
int virtual_threads_hear(jvmtiEnv *jvmti);

/*
 * Requests only the event that a virtual thread is mounted; the JVM then calls
 * `hear`. Returns 0 or -1.
 */
int virtual_threads_hear_mounts(jvmtiEnv *jvmti, jvmtiExtensionEvent hear);

#endif
