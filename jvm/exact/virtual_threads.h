/* SPDX-License-Identifier: MIT */
/*
 * Gives virtual threads contexts of their own (tracker_natives.h), if the JVM
 * reports when they are mounted and unmounted.
 */
#ifndef CLEW_JVM_EXACT_VIRTUAL_THREADS_H
#define CLEW_JVM_EXACT_VIRTUAL_THREADS_H

#include <jvmti.h>

/* True for JVMs of Java 21 or later. */
int virtual_threads_are_there(jvmtiEnv *jvmti);

/* Adds the necessary capability in such a JVM. */
void virtual_threads_want(jvmtiCapabilities *capabilities);

/*
 * Requests the events. Returns 0, or -1; then virtual threads would count in
 * each other's contexts. Called after all other callbacks are set, because
 * setting them removes these.
 */
int virtual_threads_hear(jvmtiEnv *jvmti);

/*
 * Requests only the event that a virtual thread is mounted, with its callback.
 */
int virtual_threads_hear_mounts(jvmtiEnv *jvmti, jvmtiExtensionEvent hear);

#endif
