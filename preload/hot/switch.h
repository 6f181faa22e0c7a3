/* SPDX-License-Identifier: MIT */
/*
 * The switch of a thread decides whether its stubs record calls by themselves.
 *
 * A thread is off for as long as at least one of these reasons holds:
 *
 *	detached	The thread has no tally: it has just begun, or is the
 *			first thread of a forked child.
 *	muted		The thread's calls are not to be recorded (enum
 *			hot_muted).
 *	in doubt	The thread's id may be stale (stack/heal.h): the caller
 *			of each call is checked.
 *	unwanted	The user has switched the thread's trace off.
 *
 * While a thread is off, each of its calls misses (hot/sink.h). The slow path
 * acts on the reason: it attaches the thread, counts a loss, or finds the right
 * caller.
 *
 * The sink's operations `off` and `on` switch stubs. Counting sinks exchange
 * the thread's table for one in which no id is found, so the switch costs a
 * stub nothing (hot/count.c). Both operations may run at any instruction of a
 * stub that a signal has interrupted. After `off` the stub misses, or records
 * this one call as before, and reads or writes nothing else.
 *
 * All functions concern the calling thread. Signal handlers may switch at any
 * moment. When a handler returns, it has undone its changes of hot.muted, but
 * the other reasons may have changed. Therefore the reasons are stored first,
 * then stubs are switched, and then the reasons are read again.
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

/*
 * Switches the stubs as the reasons require, and makes them use the tally's
 * present table.
 */
void switch_update(void);

/*
 * Attaches the thread to a tally, in which its calls are recorded while it is
 * on.
 */
void switch_attach(struct tally *tally);
void switch_detach(void);

/*
 * Resets the switch of a thread that has just begun, or of the only thread of a
 * forked child. The thread is then detached and not muted.
 */
void switch_begin(void);

/*
 * Stops recording the thread's calls until switch_unmute(). Returns the value
 * to pass to switch_unmute(). Pairs nest.
 */
uint32_t switch_mute(enum hot_muted why);
void switch_unmute(uint32_t former);

/*
 * Sets whether the user wants the thread's calls to be traced from now on.
 * Since calls were not recorded in the meantime, the sink reads the thread's
 * context from its stack at the next call.
 */
void switch_want(enum hot_wanted wanted);

/*
 * switch_doubt() puts the thread "in doubt" for this many calls.
 * switch_doubt_less() is called after each checked call, and switch_trust()
 * ends the doubt at once.
 */
void switch_doubt(uint32_t calls);
void switch_doubt_less(void);
void switch_trust(void);

#endif
