/* SPDX-License-Identifier: MIT */
/*
 * libclew.so as an agent of a Java virtual machine (JVMTI). Which methods are
 * native, and what code the machine makes, is told to it.
 */
#ifndef CLEW_JVM_AGENT_H
#define CLEW_JVM_AGENT_H

#include <jni.h>

/* No machine has our agent, or the one that had it is gone. */
void agent_forget(void);

/*
 * A machine that is being made has it, once. If it cannot be told of anything, the
 * recording says so. An idle one asks for nothing.
 */
void agent_begin(JavaVM *vm);
void agent_begin_idle(JavaVM *vm);

/*
 * The agent of a machine that runs already, on a thread of clew's that is attached to
 * it and in no Java method; and no more: 0, or -errno if something of ours is left.
 */
void agent_begin_late(JavaVM *vm, JNIEnv *jni);
int agent_end_late(JavaVM *vm, JNIEnv *jni);

#endif
