/* SPDX-License-Identifier: MIT */
/*
 * libclew.so as an agent of a JVM (JVMTI). The JVM notifies it of native
 * methods and of generated code.
 */
#ifndef CLEW_JVM_AGENT_H
#define CLEW_JVM_AGENT_H

#include <jni.h>

/* Called if no JVM has the agent any more. */
void agent_forget(void);

/*
 * Gives a JVM that is being created the agent, once. A failure is recorded. The
 * idle agent requests no events.
 */
void agent_begin(JavaVM *vm);
void agent_begin_idle(JavaVM *vm);

/*
 * Gives a running JVM the agent, and removes it. The calling thread is clew's
 * own, attached to the JVM, and in no Java method. agent_end_late() returns 0,
 * or -errno if something could not be removed.
 */
void agent_begin_late(JavaVM *vm, JNIEnv *jni);
int agent_end_late(JavaVM *vm, JNIEnv *jni);

#endif
