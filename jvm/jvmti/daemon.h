/* SPDX-License-Identifier: MIT */
/*
 * Threads of clew that attach to a JVM like threads of native code, but as
 * daemons, so the JVM does not wait for them when it ends.
 */
#ifndef CLEW_JVM_JVMTI_DAEMON_H
#define CLEW_JVM_JVMTI_DAEMON_H

#include <jni.h>

/*
 * Attaches the calling thread to a JVM. The caller detaches it by
 * DetachCurrentThread(). Returns NULL if the JVM refuses.
 */
JNIEnv *daemon_attach(JavaVM *vm);

#endif
