/* SPDX-License-Identifier: MIT */
/*
 * Recognizes contexts whose innermost function is a Java method that counts its
 * own calls (jvm/exact/, jvm/inplace/).
 */
#ifndef CLEW_JVM_JVMTI_JAVA_CONTEXT_H
#define CLEW_JVM_JVMTI_JAVA_CONTEXT_H

#include <stdint.h>

/*
 * Returns the number of the innermost function of the context `id` if this is a
 * Java method and the calling thread's tally contains the context, otherwise 0.
 * Signal handlers may call it; rt.slotless_function points to it while Java
 * methods count their own calls.
 */
uint32_t java_context_method(uint64_t id);

#endif
