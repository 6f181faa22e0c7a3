/* SPDX-License-Identifier: MIT */
/*
 * Which contexts are those of Java methods that report their own calls (jvm/exact/, jvm/inplace/).
 */
#ifndef CLEW_JVM_MACHINE_JAVA_CONTEXT_H
#define CLEW_JVM_MACHINE_JAVA_CONTEXT_H

#include <stdint.h>

/*
 * Returns the number of the method if the calling thread has recorded the context with this id as
 * that of a Java method, otherwise 0. For rt.slotless_function. Safe in signal handlers.
 */
uint32_t java_context_method(uint64_t id);

#endif
