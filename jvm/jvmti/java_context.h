/* SPDX-License-Identifier: MIT */
/*
 * Recognizes contexts whose innermost function is a Java method that counts its
 * own calls (jvm/exact/, jvm/inplace/).
 */
#ifndef CLEW_JVM_JVMTI_JAVA_CONTEXT_H
#define CLEW_JVM_JVMTI_JAVA_CONTEXT_H

#include <stdint.h>

/*
 * Returns the number of the context's innermost function if this is a Java
 * method and the calling thread's tally contains the context, otherwise 0.
 * rt.slotless_function points to this function. Signal handlers may call it.
 */
uint32_t java_context_method(uint64_t id);

#endif
