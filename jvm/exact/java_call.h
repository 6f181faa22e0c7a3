/* SPDX-License-Identifier: MIT */
/*
 * Counting a call of a Java method whose context is not found where it should be.
 */
#ifndef CLEW_JVM_EXACT_JAVA_CALL_H
#define CLEW_JVM_EXACT_JAVA_CALL_H

#include <stdint.h>

#include "preload/hot/count.h"

/*
 * One more call of the method with that number below a context. The calling thread's id
 * is the call's then, or the caller's if the call has found no room. COUNT_IS_FIRST and
 * COUNT_IS_DUE as hot_count() says. General registers only, no libc; safe in signal
 * handlers.
 */
enum count_result java_call_count(uint64_t caller, uint32_t number);

/* Whether a call with that id has been counted at a "(folded)". */
int java_call_is_folded(uint64_t id);

#endif
