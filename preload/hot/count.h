/* SPDX-License-Identifier: MIT */
/*
 * Between the stubs, the slow path in C, and the cold side.
 *
 * Everything here is safe in signal handlers, in threads that clew has not
 * met yet, and re-entered by itself.
 */
#ifndef CLEW_HOT_COUNT_H
#define CLEW_HOT_COUNT_H

#include <stdint.h>

#include "preload/hot/tally.h"

/* Thunks of stub_x86_64.S, called by stubs only. */
void hot_thunk_miss_call(void);
void hot_thunk_miss_tail(void);
void hot_thunk_verify_call(void);
void hot_thunk_verify_tail(void);
void hot_thunk_enter_elsewhere(void);
void hot_thunk_leave_elsewhere(void);
void hot_thunk_guard(void);
void hot_thunk_leap(void); /* by probes */
void hot_thunk_lands(void);
void hot_thunk_raises(void);
void hot_thunk_close(void);
void hot_thunk_close_tail(void);
void hot_thunk_carried(void); /* by trampolines */
void hot_thunk_carried_timed(void);

/* What the thunks call. slot: stack address of the return address. */
void hot_miss(uint64_t *slot, uint64_t id, int is_tail_call);
void hot_verify(uint64_t *slot, int is_tail_call);
int hot_enter_elsewhere(uint64_t *slot, uint64_t key, const uint8_t *stub);
void hot_leave_elsewhere(uint64_t *slot);
int hot_is_welcome(const uint64_t *slot, const uint8_t *stub);

/*
 * Given by landing.c: the calling thread is about to jump to another frame,
 * where its stack pointer will be `stack`.
 */
void hot_leap(uint64_t stack);

/*
 * Given by landing_unwound.c and loans.c, for a libgcc that is linked into a
 * module: it will land; and its _Unwind_RaiseException() begins, whose return
 * address is at sp.
 */
struct _Unwind_Context;
struct _Unwind_Exception;
void hot_lands(const struct _Unwind_Context *context);
void hot_raises(const struct _Unwind_Exception *exception, uint64_t sp);

/* Count a call of id below caller, recording the context if it is new. */
enum count_result {
	COUNT_IS_DONE,
	COUNT_IS_DUE,   /* hot_verify() is to look at it */
	COUNT_IS_FIRST, /* of its context */
};

enum count_result hot_count(uint64_t id, uint64_t caller, uint64_t site);

/*
 * Given by the cold side. hot_map_shadow: shadow for a stack slot below
 * hot_shadow_low, 0 or -errno (shadow.c). hot_verify_stack: compare the ids of the
 * calling thread with its stack, from slot outwards, and add the verdict to the
 * others (verify.c). hot_reorder:
 * called after strays_left calls were not counted at home; hot_look: called
 * now and then, to let go of a table that was left (both tallies.c).
 */
int hot_map_shadow(uint64_t stack);
void hot_verify_stack(const uint64_t *slot, struct wire_verdicts *verdicts);
void hot_reorder(void);
void hot_look(void);

/*
 * Given by callers.c: record the functions that called this one, which is being
 * entered, in the thread's tally, as far as they are not recorded there.
 */
void hot_record_callers(uint64_t callee);

/*
 * Given by sharing.c, for HOT_MUTED_SHARED: is this thread alone again? Then
 * it is muted no more. Returns the id of the function entered at slot.
 */
struct shadow_slot;
uint64_t hot_look_alone(uint64_t slot, struct shadow_slot *shadow, uint64_t id);

/*
 * Given by heal.c, called while hot.doubts_left, and this near to where a thread
 * began: the id of the function that is being entered at a slot, which said to
 * be `id`. Puts the thread right.
 */
#define HOT_THREAD_END_BYTES 16384
uint64_t hot_heal(uint64_t *slot, uint64_t id);

/*
 * Given by process.c: make this forked child a process of its own, which no
 * handler has done.
 */
void hot_after_fork(void);

/*
 * Given by trampolines_x86_64.c, in timed processes: a function has returned to
 * a trampoline, and its return address is at slot.
 */
struct trampoline;
void hot_leave_carried(const uint64_t *slot, const struct trampoline *one);

/*
 * The same at the first call in a child that no handler knows of, unless a
 * signal handler's call has just seen to it.
 */
void hot_after_unseen_fork(void);

#endif
