/* SPDX-License-Identifier: MIT */
/*
 * Counts calls of Java methods whose context is not at home in the count table.
 */
#ifndef CLEW_JVM_EXACT_JAVA_CALL_H
#define CLEW_JVM_EXACT_JAVA_CALL_H

#include <stdint.h>

#include "preload/hot/count.h"

/*
 * Counts a call of the method with that number below a context. Then the
 * calling thread's id is the call's, or the caller's if there was no room for
 * the call. Returns COUNT_IS_FIRST and COUNT_IS_DUE like hot_count(). Uses
 * general registers only and no libc; safe in signal handlers.
 */
enum count_result java_call_count(uint64_t caller, uint32_t number);

/* True if a call with that id was counted in "(folded)". */
int java_call_is_folded(uint64_t id);

#endif
