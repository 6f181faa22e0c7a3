/* SPDX-License-Identifier: MIT */
/*
 * Records inlined methods. For each piece of compiled code the JVM reports
 * which addresses belong to which methods and bytecodes. Reports on samples use
 * these data.
 */
#ifndef CLEW_JVM_HOTSPOT_INLINED_METHODS_H
#define CLEW_JVM_HOTSPOT_INLINED_METHODS_H

#include <jni.h>
#include <jvmti.h>
#include <stdint.h>

/*
 * A piece of compiled code: its address, its size, and the time stamp with
 * which it was recorded.
 */
struct compiled_code {
	uint64_t start;
	uint64_t bytes;
	uint64_t tsc;
};

/*
 * Records which methods are inlined in the code. `info` is the data that
 * HotSpot passes with the event CompiledMethodLoad, or NULL. Called in that
 * event only.
 */
void inlined_methods_record(jvmtiEnv *jvmti, JNIEnv *jni,
			    const struct compiled_code *code, const void *info);

#endif
