/* SPDX-License-Identifier: MIT */
/*
 * Calls that a stub, the code between a function and its callers, does not count
 * by itself: those of a new context (a chain of calls, known by its 64-bit id),
 * those that are to be verified, and those on stacks without a place in the
 * shadow (shadow.h).
 *
 *	stub -> thunk (thunks.inc), which keeps all registers -> a function in C
 *
 * Everything here is safe in signal handlers, in threads that have made no hooked
 * call before, and re-entered by itself.
 */
#ifndef CLEW_HOT_COUNT_H
#define CLEW_HOT_COUNT_H

#include <stdint.h>

#include "preload/hot/tally.h"

/* Thunks (thunks.inc), called by stubs only: from here to there. */
extern const char hot_thunks[], hot_thunks_end[];
void hot_thunk_miss_call(void);
void hot_thunk_miss_tail(void);
void hot_thunk_verify_call(void);
void hot_thunk_verify_tail(void);
void hot_thunk_enter_elsewhere(void);
void hot_thunk_leave_elsewhere(void);
void hot_thunk_guard(void);
void hot_thunk_probe(void); /* by probes */
void hot_thunk_close(void);
void hot_thunk_open_tail(void);
void hot_thunk_tail(void);
void hot_thunk_tail_count(void);
void hot_thunk_carried(void); /* by trampolines */
void hot_thunk_carried_told(void);
void hot_thunk_trace_call(void);
void hot_thunk_trace_tail(void);
void hot_thunk_trace_return(void);

/* What the thunks call. slot: stack address of the return address. */
void hot_miss(uint64_t *slot, uint64_t id, int is_tail_call);
void hot_verify(uint64_t *slot, int is_tail_call);
int hot_enter_elsewhere(uint64_t *slot, uint64_t key, const uint8_t *stub);
void hot_leave_elsewhere(uint64_t *slot);
int hot_is_welcome(uint64_t *slot, const uint8_t *stub);

/* Count a call of id below caller, recording the context if it is new. */
enum count_result {
	COUNT_IS_DONE,
	COUNT_IS_DUE,   /* hot_verify() is to look at it */
	COUNT_IS_FIRST, /* of its context */
};

enum count_result hot_count(uint64_t id, uint64_t caller, uint64_t site);

/*
 * Whether what the calling thread calls is to be recorded, which has a tally then;
 * if not, the loss is counted, or nobody wants it.
 */
int count_is_heard(void);

/* The id of the function that is entered at the slot, whose caller may be in doubt. */
uint64_t count_right_id(uint64_t *slot, uint64_t id, int is_tail_call);

/*
 * hot_count() has said that a call of this id is due: draw when the next is. Whether
 * this one is to be verified, as likely as any other.
 */
int count_is_drawn(uint64_t id);

/*
 * A call that was made earlier, of a function whose callers are recorded unless there
 * was no room: it is counted like any other, and not verified. The thread's own id
 * stays. Signals blocked.
 */
void count_past_call(uint64_t id, uint64_t caller, int is_tail_call);

/*
 * What every sink that counts does to switch stubs: no id is found in a thread's
 * table from now on; or those of its tally are.
 */
void count_off(void);
void count_on(void);

/*
 * What every sink that counts does with a call that no stub could count; slot is
 * where the return address was.
 */
void count_miss(uint64_t *slot, uint64_t id, int is_tail_call);

#endif
