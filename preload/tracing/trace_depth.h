/* SPDX-License-Identifier: MIT */
/*
 * Omits calls from the trace that are deeper than a given number of calls (clew
 * record --trace-depth). With this option each call is handled by C code, not
 * by the stub alone.
 */
#ifndef CLEW_TRACING_TRACE_DEPTH_H
#define CLEW_TRACING_TRACE_DEPTH_H

#include <stdint.h>

#include "preload/hot/tally.h"

/*
 * Returns whether the call at a slot is too deep. If a context is needed while
 * all calls are too deep, it is written at the next call that is not.
 */
int trace_depth_leaves_out(const uint64_t *slot, uint32_t tail_word);

/*
 * Returns whether the running call with this slot was omitted because it was
 * too deep. Also returns true for a call about which nothing is stored.
 */
int trace_depth_has_left_out(const uint64_t *slot);

/* Unmaps the stored slots of a tally whose session has ended. */
void trace_depth_unmap(struct tally *tally);

#endif
