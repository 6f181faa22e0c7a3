/* SPDX-License-Identifier: MIT */
/*
 * The time of calls.
 *
 * The clock of a thread's calls is the time stamp counter minus the time that
 * clew's slow paths took in this thread.
 *
 * A timed stub (stub_timed.inc) stores the time of the call's start and the id
 * of its context beside the shadow slot. When the function returns, now - start
 * is its inclusive time. The own time of the call is the inclusive time minus
 * the part that belongs to other calls:
 *
 *	hot.accounted	Ticks of this thread that belong to some context's own
 *			time. When a call ends, the part of its duration that is
 *			not accounted for yet is its own, and is added.
 *
 *	main  |--------------------------------|	self = 32 - (5 + 3 + 4)
 *	  f       |-------|      |----|			      = 20
 *	    g       |---|
 *	accounted 0     3 8           12       32
 *
 * A slot holds the value of `accounted` at its start. Nothing has to be
 * restored when a jump leaves functions, and each tick is accounted for once. A
 * call that a jump leaves ends at its landing (preload/time/exact.c). If the
 * landing is not detected, the call stays open, and its own time counts for the
 * function that continues.
 *
 * On a stack that is left and returned to, as coroutines do, inclusive time
 * continues meanwhile. If the intervals of two calls overlap without nesting,
 * the own time of one can be negative or exceed its inclusive time. It is then
 * set to 0 or to the inclusive time, and `clamped` counts this.
 */
#ifndef CLEW_HOT_TIMING_H
#define CLEW_HOT_TIMING_H

#include <stddef.h>
#include <stdint.h>

#include "machine/address_space.h"
#include "preload/hot/layout.h"
#include "preload/hot/shadow.h"
#include "preload/hot/sink.h"
#include "preload/hot/stamp_counter.h"
#include "preload/hot/tally.h"
#include "preload/hot/thread.h"
#include "wire/recording.h"

struct time_slot {
	uint64_t start; /* 0: a jump has ended the call already */
	uint64_t accounted;
	uint64_t id;
};
_Static_assert(offsetof(struct time_slot, start) == TIME_START, "asm");
_Static_assert(offsetof(struct time_slot, accounted) == TIME_ACCOUNTED, "asm");
_Static_assert(offsetof(struct time_slot, id) == TIME_ID, "asm");
_Static_assert(sizeof(struct time_slot) == TIME_SLOT_BYTES, "asm");

#define TIMES_OFFSET(member, offset)                                           \
	_Static_assert(offsetof(struct wire_times, member) == (offset), "asm")

TIMES_OFFSET(ended, TIMES_ENDED);
TIMES_OFFSET(total, TIMES_TOTAL);
TIMES_OFFSET(self, TIMES_SELF);
TIMES_OFFSET(min, TIMES_MIN);
TIMES_OFFSET(max, TIMES_MAX);
TIMES_OFFSET(histogram, TIMES_HISTOGRAM);
TIMES_OFFSET(latest, TIMES_LATEST);
_Static_assert(sizeof(struct wire_times) == TIMES_BYTES, "asm");
_Static_assert(sizeof(struct wire_count) * TIMES_PER_ENTRY == TIMES_BYTES,
	       "asm");

#define TIME_BYTES (UINT64_C(3) * (ADDRESS_END - SHADOW_STACK_LOW))

/* The time slots of a piece of shadow follow it. */
#define TIME_PIECE_BYTES (UINT64_C(3) << SHADOW_PIECE_SHIFT)

/* Returns the time by the calling thread's clock. */
static inline uint64_t time_now(void)
{
	return stamp_counter() - hot.paused;
}

/* Returns the time slot of a stack slot that has a shadow. */
static inline struct time_slot *time_of(uint64_t stack)
{
	const uint64_t start = stack >> SHADOW_PIECE_SHIFT
						<< SHADOW_PIECE_SHIFT;
	uint64_t piece;

	if (stack >= hot_shadow_low)
		return (struct time_slot *)(3 * (stack - SHADOW_STACK_LOW +
						 hot_time_third));
	piece = (uintptr_t)shadow_of(start);
	return (struct time_slot *)(piece +
				    (UINT64_C(2) << SHADOW_PIECE_SHIFT) +
				    3 * (stack - start));
}

/* Returns the times of a table's entry. */
static inline struct wire_times *times_of(struct wire_count *table, uint64_t i)
{
	return (struct wire_times *)table - 1 - i;
}

/*
 * Begins the time of the call at a stack slot, in the context of the thread's
 * id.
 */
void time_open(uint64_t stack);

/* Returns the id of the function whose time is measured in a slot, or 0. */
uint64_t time_id(const struct time_slot *slot);

/*
 * Called when a function has jumped to the function whose id the thread has.
 * Ends the time of the function that has jumped, or saves its start if the new
 * function counts below it (tails.h).
 */
void hot_open_tail(const uint64_t *stack);

/*
 * Ends the time of a call, and of the functions that have jumped to it, without
 * the exit of its stub. A later exit changes nothing.
 */
void time_close(struct time_slot *slot, uint64_t now);

/*
 * Used when calls are suspended and will continue. time_settle() adds a call's
 * own time up to now to its context; it is called for all calls concerned,
 * innermost first. time_has_settled() is then called for each of them and
 * adapts its slot to the new value of `accounted`.
 */
void time_settle(const struct time_slot *slot, uint64_t now);
void time_has_settled(struct time_slot *slot, uint64_t now);

/* Restarts the time of calls in a process that has just forked. */
void time_begin_anew(struct time_slot *slot, uint64_t now);

/*
 * time_pause_since() begins a pause at `start`, and time_pause_end() removes
 * the time since then from the thread's clock, except the time of calls that
 * signal handlers have made meanwhile.
 */
struct sink_pause time_pause_since(uint64_t start);
void time_pause_end(const struct sink_pause *pause);

/* Called by thunks: the call at a stack slot has ended after `total` ticks. */
void hot_close(const uint64_t *stack, uint64_t total);

#endif
