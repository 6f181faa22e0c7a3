/* SPDX-License-Identifier: MIT */
/*
 * Finds native methods that are already bound in a running JVM, and binds them
 * to other code. Works with HotSpot only, by its descriptions for debuggers.
 */
#ifndef CLEW_JVM_NATIVES_BOUND_NATIVES_H
#define CLEW_JVM_NATIVES_BOUND_NATIVES_H

#include <jni.h>
#include <jvmti.h>
#include <stdint.h>

#include "preload/generated/records.h"

struct bound_native {
	struct java_method its; /* the names of the native method */
	const void *method;     /* address of a pointer to the JVM's Method */
	void *address;          /* the code to which it is bound */
};

/*
 * Returns the new code for a native, or NULL if the native remains unchanged.
 */
typedef void *(*bound_natives_choose)(void *context,
				      const struct bound_native *native);

/*
 * Calls choose() for each bound native that it finds and binds the native to
 * the result by RegisterNatives(), which sends events to all agents, including
 * clew's. Natives of classes of the platform class loader remain unchanged. If
 * the JVM's function for unbound natives is not recognized, so do all natives
 * with code in the JVM. The calling thread is clew's own, attached to the JVM,
 * and in no Java method. machine_pc is the address of any function of the JVM.
 * If choose is NULL, this only checks whether natives could be found and bound.
 * Returns the number of natives that were bound, or -errno if natives cannot be
 * found.
 */
long bound_natives_change(JavaVM *vm, JNIEnv *jni, uint64_t machine_pc,
			  bound_natives_choose choose, void *context);

#endif
