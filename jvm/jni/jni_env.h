/* SPDX-License-Identifier: MIT */
/*
 * Calls that natives make through JNI's table of functions (JNIEnv), if they are
 * asked for. Each function of the table gets a stub, and a number and a name like
 * any other function; the stubs' entries become the table (SetJNIFunctionTable),
 * and behind them is the machine's function, or what stands in front of that
 * (jni_watch.h).
 */
#ifndef CLEW_JVM_JNI_JNI_ENV_H
#define CLEW_JVM_JNI_JNI_ENV_H

#include <jvmti.h>

#include "preload/modules/modules.h"
#include "preload/stubs/window.h"

/* Make the stubs near the machine, once. Under the loader's lock. */
void jni_env_prepare(const struct module *machine, struct windows *windows);

/* The machine has started: its table may be exchanged. Nothing if not prepared. */
void jni_env_begin(jvmtiEnv *jvmti, JNIEnv *jni);

#endif
