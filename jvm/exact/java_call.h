/* SPDX-License-Identifier: MIT */
/*
 * Counts those calls of Java methods that the generated code does not count by
 * itself, because their context is not at its home in the count table
 * (preload/hot/count.h).
 */
#ifndef CLEW_JVM_EXACT_JAVA_CALL_H
#define CLEW_JVM_EXACT_JAVA_CALL_H

#include <stdint.h>

#include "preload/hot/count.h"

/*
 * Counts a call of the method with that number below the context `caller`.
 * Afterwards the calling thread's id is that of the call, or `caller` if there
 * was no room for the call. Returns COUNT_IS_FIRST and COUNT_IS_DUE like
 * hot_count(). Uses general registers only and no libc; safe in signal
 * handlers.
 */
enum count_result java_call_count(uint64_t caller, uint32_t number);

/*
 * Returns whether a call with that id was counted in "(folded)", for want of
 * room.
 */
int java_call_is_folded(uint64_t id);

#endif
