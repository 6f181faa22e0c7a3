/* SPDX-License-Identifier: MIT */
/*
 * Counts calls of JNI functions by natives through the table JNIEnv, if the
 * user has requested this. Each function of the table gets a stub, a number and
 * a name. A table of the stubs' entries replaces the JVM's own
 * (SetJNIFunctionTable). A stub calls the JVM's function, or the watcher that
 * calls that function (jni_watch.h).
 *
 * In an attached JVM, stubs are freed when clew detaches, but natives may have
 * copied pointers from the table. Therefore the table leads to jumps that stay
 * (jni_jumps.S). A jump leads to the stub during a session, and to the JVM's
 * function afterwards:
 *
 *	table --> jump --> stub --> watcher --> the JVM's function
 */
#ifndef CLEW_JVM_JNI_JNI_ENV_H
#define CLEW_JVM_JNI_JNI_ENV_H

#include <jvmti.h>

#include "preload/modules/modules.h"
#include "preload/stubs/window.h"

/*
 * Creates the stubs near the JVM's code, once in a session. Called with the
 * loader's lock held. The part's header contains the reason of a failure.
 */
void jni_env_prepare(const struct module *machine, struct windows *windows);

/* Replaces the table of a JVM that has started. Does nothing without stubs. */
void jni_env_begin(jvmtiEnv *jvmti, JNIEnv *jni);

/*
 * Restores the table of an attached JVM, except functions that another agent
 * has replaced meanwhile. Calls jni_env_abandon().
 */
void jni_env_end(jvmtiEnv *jvmti);

/* Makes the jumps lead to the JVM's functions, without a call of the JVM. */
void jni_env_abandon(void);

/* Forgets the stubs of the former session, which have been freed. */
void jni_env_forget(void);

#endif
