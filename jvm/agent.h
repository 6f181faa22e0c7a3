/* SPDX-License-Identifier: MIT */
/*
 * libclew.so as an agent of a JVM (JVMTI). The JVM reports native methods and
 * generated code to the agent by events.
 */
#ifndef CLEW_JVM_AGENT_H
#define CLEW_JVM_AGENT_H

#include <jni.h>

/*
 * Forgets the JVM that has the agent and the natives that it bound before their
 * names were known. Another JVM can then get the agent.
 */
void agent_forget(void);

/*
 * agent_begin() gives the agent to a JVM, unless a JVM has the agent already.
 * The part's header contains the reason of a failure. agent_begin_idle() only
 * stores that the JVM has the agent, which then receives no events.
 */
void agent_begin(JavaVM *vm);
void agent_begin_idle(JavaVM *vm);

/*
 * agent_begin_late() gives the agent to a running JVM; the part's header
 * contains the reason of a failure. agent_end_late() removes the agent. The
 * calling thread is clew's own, attached to the JVM, and in no Java method.
 * agent_end_late() returns 0, or -errno if something could not be removed.
 */
void agent_begin_late(JavaVM *vm, JNIEnv *jni);
int agent_end_late(JavaVM *vm, JNIEnv *jni);

#endif
