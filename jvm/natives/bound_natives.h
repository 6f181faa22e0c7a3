/* SPDX-License-Identifier: MIT */
/*
 * Native methods that are bound already, in a machine that runs: which they are, and
 * binding them to something else. Of HotSpot only, by what it tells debuggers.
 */
#ifndef CLEW_JVM_NATIVES_BOUND_NATIVES_H
#define CLEW_JVM_NATIVES_BOUND_NATIVES_H

#include <jni.h>
#include <jvmti.h>
#include <stdint.h>

#include "preload/generated/records.h"

struct bound_native {
	struct java_method its; /* names */
	const void *method;     /* where the address of its Method stands */
	void *address;          /* of the code that it is bound to */
};

/* What a native is to be bound to instead; NULL: it stays. */
typedef void *(*bound_natives_choose)(void *context,
				      const struct bound_native *native);

/*
 * Ask of each bound native, and bind it so. By RegisterNatives(), so that agents hear of
 * it, ours, too. On a thread of ours that is attached and in no Java method. Natives of the
 * platform's own class loader stay. machine_pc: of any function of the machine's. How many
 * have been bound so; or -errno: they cannot be known. choose NULL: whether they can.
 */
long bound_natives_change(JavaVM *vm, JNIEnv *jni, uint64_t machine_pc,
			  bound_natives_choose choose, void *context);

#endif
