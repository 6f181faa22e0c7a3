/* SPDX-License-Identifier: MIT */
/*
 * Calls of JNI functions by natives through the table JNIEnv, if the user asks
 * for them. Each function of the table gets a stub, a number and a name. The
 * stubs' entries become the table (SetJNIFunctionTable). A stub calls the JVM's
 * function, or the watcher that calls that function (jni_watch.h).
 */
#ifndef CLEW_JVM_JNI_JNI_ENV_H
#define CLEW_JVM_JNI_JNI_ENV_H

#include <jvmti.h>

#include "preload/modules/modules.h"
#include "preload/stubs/window.h"

/* Creates the stubs near the JVM, once. Called with the loader's lock held. */
void jni_env_prepare(const struct module *machine, struct windows *windows);

/* Replaces the table of a JVM that has started. Does nothing without stubs. */
void jni_env_begin(jvmtiEnv *jvmti, JNIEnv *jni);

#endif
