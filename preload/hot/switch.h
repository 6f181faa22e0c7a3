/* SPDX-License-Identifier: MIT */
/*
 * The switch of a thread: whether its stubs record calls by themselves.
 *
 * A thread is off for as long as there is one of these reasons:
 *
 *	detached	it has no tally: it has just begun, or is the first of
 *			a forked child
 *	muted		its calls are not to be recorded (enum hot_muted)
 *	in doubt	its id may be stale (stack/heal.h): the caller of each
 *			call is looked at
 *	unwanted	the user has switched its trace off
 *
 * While a thread is off, each of its calls misses (hot/sink.h), and what a miss
 * leads to knows the reasons: it attaches the thread, counts a loss, or finds
 * the right caller.
 *
 * How stubs are switched is the sink's, by its operations `off` and `on`: what
 * counts exchanges the thread's table for one in which no id is found, so that
 * the switch costs a stub nothing (hot/count.c). All that is asked of a sink is
 * that both can come at any instruction of a stub, which a signal has
 * interrupted: after `off` it goes on to a miss, or records this one call as it
 * would have before, and reads or writes nothing else.
 *
 * All functions concern the calling thread. Signal handlers may switch at any
 * moment, and have put back what they have changed when they return, but for
 * doubt. So the reasons are stored before stubs are told, and looked at again
 * afterwards: the last word is right.
 */
#ifndef CLEW_HOT_SWITCH_H
#define CLEW_HOT_SWITCH_H

#include <stdint.h>

#include "preload/hot/runtime.h"
#include "preload/hot/thread.h"

static inline int switch_is_wanted(void)
{
	const volatile struct hot_thread *now = &hot;

	return now->wanted ? now->wanted == HOT_IS_WANTED : !rt.begins_unwanted;
}

static inline int switch_is_on(void)
{
	const volatile struct hot_thread *now = &hot;

	return now->tally && !now->muted && !now->doubts_left &&
	       switch_is_wanted();
}

/* Stubs are told what the reasons say; and that there is another table. */
void switch_update(void);

/* Its calls are recorded in this tally from now on, once it is on. */
void switch_attach(struct tally *tally);
void switch_detach(void);

/* Detached, and not muted: whatever was, was another thread's or process's. */
void switch_begin(void);

/*
 * What the thread calls until switch_unmute() is not recorded, for a reason.
 * Returns what to give that; they nest.
 */
uint32_t switch_mute(enum hot_muted why);
void switch_unmute(uint32_t former);

/*
 * The user wants what the thread calls from now on, or does not. What it has called
 * meanwhile is not known, so where it is goes by its stack.
 */
void switch_want(enum hot_wanted wanted);

/* The callers of so many calls are to be looked at; one has been; no more. */
void switch_doubt(uint32_t calls);
void switch_doubt_less(void);
void switch_trust(void);

#endif
