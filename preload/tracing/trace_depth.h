/* SPDX-License-Identifier: MIT */
/*
 * Leaves out calls deeper than a number of functions (clew record
 * --trace-depth). With this option each call takes the slow path.
 */
#ifndef CLEW_TRACING_TRACE_DEPTH_H
#define CLEW_TRACING_TRACE_DEPTH_H

#include <stdint.h>

/*
 * Returns whether the call at a slot is too deep. While all calls are too deep
 * no context is written; it is written later.
 */
int trace_depth_leaves_out(const uint64_t *slot, uint32_t tail_word);

/* Returns whether the running call with this slot was too deep. */
int trace_depth_has_left_out(const uint64_t *slot);

#endif
