/* SPDX-License-Identifier: MIT */
/*
 * Leaves out calls deeper than a number of functions (clew record
 * --trace-depth). With this option each call takes the slow path.
 */
#ifndef CLEW_TRACING_TRACE_DEPTH_H
#define CLEW_TRACING_TRACE_DEPTH_H

#include <stdint.h>

/*
 * Returns whether the call at a slot is too deep. A context that is needed
 * while all calls are too deep is written at the next call that is not.
 */
int trace_depth_leaves_out(const uint64_t *slot, uint32_t tail_word);

/* Returns whether the running call with this slot was too deep. */
int trace_depth_has_left_out(const uint64_t *slot);

#endif
