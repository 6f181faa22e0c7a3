/* SPDX-License-Identifier: MIT */
/*
 * Traces that leave out calls deeper than so many functions (clew record --trace-depth).
 * Only where that is asked for: each call comes by here then.
 */
#ifndef CLEW_TIME_TRACE_DEPTH_H
#define CLEW_TIME_TRACE_DEPTH_H

#include <stdint.h>

/*
 * Whether the call that is made at a slot is too deep. While all is too deep nothing is
 * said of the stack, but owed.
 */
int trace_depth_leaves_out(const uint64_t *slot, uint32_t tail_word);

/* Whether the running call was whose slot that is. */
int trace_depth_has_left_out(const uint64_t *slot);

#endif
