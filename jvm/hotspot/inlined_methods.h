/* SPDX-License-Identifier: MIT */
/*
 * What compilers have inlined where: the machine says, of each piece of code that it
 * tells of, which methods are at which addresses, and at which bytecodes. For samples.
 */
#ifndef CLEW_JVM_HOTSPOT_INLINED_METHODS_H
#define CLEW_JVM_HOTSPOT_INLINED_METHODS_H

#include <jni.h>
#include <jvmti.h>
#include <stdint.h>

/* Code that was recorded with that stamp. */
struct compiled_code {
	uint64_t start;
	uint64_t bytes;
	uint64_t tsc;
};

/* Record it. info: of the event, as HotSpot gives it, or NULL. */
void inlined_methods_tell(jvmtiEnv *jvmti, JNIEnv *jni,
			  const struct compiled_code *code, const void *info);

#endif
