/* SPDX-License-Identifier: MIT */
/*
 * Inlined methods: for each piece of compiled code the JVM reports which
 * methods, at which bytecodes, are at which addresses. Samples use this.
 */
#ifndef CLEW_JVM_HOTSPOT_INLINED_METHODS_H
#define CLEW_JVM_HOTSPOT_INLINED_METHODS_H

#include <jni.h>
#include <jvmti.h>
#include <stdint.h>

/* Code that was recorded with this time stamp. */
struct compiled_code {
	uint64_t start;
	uint64_t bytes;
	uint64_t tsc;
};

/*
 * Records the inlined methods. `info` is HotSpot's data from the event, or
 * NULL.
 */
void inlined_methods_tell(jvmtiEnv *jvmti, JNIEnv *jni,
			  const struct compiled_code *code, const void *info);

#endif
