/* SPDX-License-Identifier: MIT */
/*
 * How long calls take: the clock of each thread's calls.
 *
 * The clock is the time stamp counter less what slow paths of ours have taken of
 * the thread's time, which is nobody's.
 *
 * A timed stub (stub_timed.inc) stores the moment of each call's start
 * beside the shadow slot of its stack slot, and the id of its context. When the
 * function returns, now - start is its inclusive time. Its own time is that less
 * what others took meanwhile, and this is how that is known:
 *
 *	hot.accounted	ticks of this thread that are in some context's own
 *			time. Whenever a call ends, the part of its duration
 *			that nobody has accounted for is its own, and is added.
 *
 *	main  |--------------------------------|	self = 32 - (5 + 3 + 4)
 *	  f       |-------|      |----|			      = 20
 *	    g       |---|
 *	accounted 0     3 8           12       32
 *
 * A slot holds what `accounted` was at its start; there is nothing to restore
 * when functions are left by a jump, and each tick is accounted for once, come
 * what may. A call that a jump leaves ends at its landing (preload/time/exact.c); one
 * whose landing nobody sees stays open, and its own time falls to where the
 * thread goes on.
 *
 * On a stack that is left and returned to, as coroutines' are, inclusive time
 * goes on meanwhile. Where intervals overlap without one being inside the other
 * the difference would be less than nothing: it is 0 then, and `clamped` counts
 * it.
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
	uint64_t start; /* 0: the call has ended already, by a jump */
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

/* A piece of shadow is followed by that of its time slots. */
#define TIME_PIECE_BYTES (UINT64_C(3) << SHADOW_PIECE_SHIFT)

/* By the calling thread's clock. */
static inline uint64_t time_now(void)
{
	return stamp_counter() - hot.paused;
}

/* The time slot of a stack slot that has a shadow. */
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

/* The times of a table's entry. */
static inline struct wire_times *times_of(struct wire_count *table, uint64_t i)
{
	return (struct wire_times *)table - 1 - i;
}

/* The call at a stack slot begins now, as the thread's id says. */
void time_open(uint64_t stack);

/* The id of the function whose time runs in a slot; 0: nobody's. */
uint64_t time_id(const struct time_slot *slot);

/*
 * A function of a stack slot has jumped to another one, whose id the thread has, and
 * below which it counts (tails.h): its time goes on, or it has ended.
 */
void hot_open_tail(const uint64_t *stack);

/*
 * The call has ended, and whoever has jumped there, without the exit of its stub, which
 * changes nothing any more should it come.
 */
void time_close(struct time_slot *slot, uint64_t now);

/*
 * It goes on, and what of its time is its own and not accounted for yet is to
 * be. Innermost first; when all that are concerned have settled, so that
 * nothing is left to account for, they are told so.
 */
void time_settle(const struct time_slot *slot, uint64_t now);
void time_has_settled(struct time_slot *slot, uint64_t now);

/* They begin now: the process is another one. */
void time_begin_anew(struct time_slot *slot, uint64_t now);

/* The clock stands still from a moment on, but for handlers that come. */
struct sink_pause time_pause_since(uint64_t start);
void time_pause_end(const struct sink_pause *pause);

/* What the thunks call: the call at a stack slot has ended after so long. */
void hot_close(const uint64_t *stack, uint64_t total);

#endif
