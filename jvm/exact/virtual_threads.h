/* SPDX-License-Identifier: MIT */
/*
 * Virtual threads have their own contexts (tracker_natives.h) where the machine tells
 * when they are on which thread.
 */
#ifndef CLEW_JVM_EXACT_VIRTUAL_THREADS_H
#define CLEW_JVM_EXACT_VIRTUAL_THREADS_H

#include <jvmti.h>

/* Whether the machine is one of Java 21 or later. */
int virtual_threads_are_there(jvmtiEnv *jvmti);

/* Then: add what it takes. */
void virtual_threads_want(jvmtiCapabilities *capabilities);

/*
 * 0, or -1: virtual threads would count in each other's contexts. When all other
 * callbacks are set: that takes these off.
 */
int virtual_threads_hear(jvmtiEnv *jvmti);

/* Likewise, that one comes to a carrier, whatever is made of that. */
int virtual_threads_hear_mounts(jvmtiEnv *jvmti, jvmtiExtensionEvent hear);

#endif
