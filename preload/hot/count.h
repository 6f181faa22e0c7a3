/* SPDX-License-Identifier: MIT */
/*
 * The slow paths of calls that a stub cannot count by itself: calls in a new
 * context (a chain of calls, identified by a 64-bit id), calls that are to be
 * verified, and calls on stacks below hot_shadow_low (shadow.h).
 *
 *	stub -> thunk (thunks.inc), preserves all registers -> a C function
 *
 * All functions are safe in signal handlers, in threads that have made no
 * hooked call before, and re-entered by themselves.
 */
#ifndef CLEW_HOT_COUNT_H
#define CLEW_HOT_COUNT_H

#include <stdint.h>

#include "preload/hot/tally.h"

/*
 * Thunks (thunks.inc), called by stubs only unless noted. All lie between these
 * labels.
 */
extern const char hot_thunks[], hot_thunks_end[];
void hot_thunk_miss_call(void);
void hot_thunk_miss_tail(void);
void hot_thunk_verify_call(void);
void hot_thunk_verify_tail(void);
void hot_thunk_enter_elsewhere(void);
void hot_thunk_leave_elsewhere(void);
void hot_thunk_guard(void);
void hot_thunk_probe(void); /* called by probes */
void hot_thunk_close(void);
void hot_thunk_open_tail(void);
void hot_thunk_tail(void);
void hot_thunk_tail_count(void);
void hot_thunk_carried(void); /* called by trampolines */
void hot_thunk_carried_reported(void);
void hot_thunk_trace_call(void);
void hot_thunk_trace_tail(void);
void hot_thunk_trace_return(void);
void hot_thunk_depth_call(void);
void hot_thunk_depth_tail(void);

/*
 * C functions that the thunks call. `slot` is the stack address of the return
 * address.
 */
void hot_miss(uint64_t *slot, uint64_t id, int is_tail_call);
void hot_verify(uint64_t *slot, int is_tail_call);
int hot_enter_elsewhere(uint64_t *slot, uint64_t key, const uint8_t *stub);
void hot_leave_elsewhere(uint64_t *slot);
int hot_is_countable(uint64_t *slot, const uint8_t *stub);

/*
 * Counts a call in the context `id`, whose caller has the id `caller`. Records
 * the context if it is new. If there is no room for it, the call counts in a
 * "(folded)", or as lost. `site` is the return address, plus WIRE_SITE_TAIL for
 * a tail call, or WIRE_SITE_TAIL alone.
 */
enum count_result {
	COUNT_IS_DONE,
	COUNT_IS_DUE,   /* hot_verify() must check the call */
	COUNT_IS_FIRST, /* the first call of its context */
};

enum count_result hot_count(uint64_t id, uint64_t caller, uint64_t site);

/*
 * Returns whether calls of the calling thread must be recorded; the thread then
 * has a tally. Otherwise counts the present call as lost, unless the reason is
 * one that is not reported (clew's own calls, or a trace that the user has
 * switched off).
 */
int count_is_heard(void);

/*
 * Returns the id of the function that is being entered at the slot, which is
 * `id` unless the thread's id was stale. Checks the caller's id, and corrects
 * it in the shadow, if the thread is in doubt (switch.h) or the slot is near
 * the beginning of the thread's stack, unless the function was reached by a
 * tail call. Ends HOT_MUTED_SHARED if the thread shares its thread pointer no
 * longer.
 */
uint64_t count_right_id(uint64_t *slot, uint64_t id, int is_tail_call);

/*
 * Draws the next countdown of this id, for which hot_count() has returned
 * COUNT_IS_DUE. Returns whether the present call is to be verified; each call
 * has the same probability.
 */
int count_is_drawn(uint64_t id);

/*
 * Counts a call that was made earlier, without verifying it and without
 * changing the thread's id. The contexts of its callers were recorded before,
 * unless there was no room. Called with signals blocked.
 */
void count_past_call(uint64_t id, uint64_t caller, int is_tail_call);

/*
 * Operations `off` and `on` of the counting sinks: count_off() gives the thread
 * a table in which no id is found; count_on() gives the thread the table of its
 * tally, unless the thread is off (switch.h).
 */
void count_off(void);
void count_on(void);

/*
 * Operation `miss` of the counting sinks: counts a call that the stub could not
 * count. slot is where the return address was.
 */
void count_miss(uint64_t *slot, uint64_t id, int is_tail_call);

#endif
