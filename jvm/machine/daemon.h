/* SPDX-License-Identifier: MIT */
/*
 * Threads of ours that attach to a machine, as threads of native code do: as daemons, for
 * whom the machine does not wait when it ends.
 */
#ifndef CLEW_JVM_MACHINE_DAEMON_H
#define CLEW_JVM_MACHINE_DAEMON_H

#include <jni.h>

/* The calling thread, until it is detached. NULL: the machine does not take it. */
JNIEnv *daemon_attach(JavaVM *vm);

#endif
