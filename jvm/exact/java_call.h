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
 * was no room for the call. Returns the result of hot_count(), or COUNT_IS_DONE
 * if there was no room. Uses general registers only and no libc; safe in signal
 * handlers.
 */
enum count_result java_call_count(uint64_t caller, uint32_t number);

/*
 * Returns 1 if calls of some contexts are counted in "(folded)" in the calling
 * thread's tally, and this tally does not contain the context `id`. The call of
 * a virtual thread may nevertheless be counted in the tally of another carrier
 * thread. Returns 0 if the thread does not count.
 */
int java_call_is_folded(uint64_t id);

#endif
