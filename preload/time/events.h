/* SPDX-License-Identifier: MIT */
/*
 * A finer clock than the kernel's tick, for what threads do in their program.
 *
 * The kernel looks at CPU timers (ticks.h) when it ticks, 250 times a second on
 * most machines, whatever rate was asked for. A software event of perf_event
 * has a high-resolution timer that runs while its thread does. So a thread
 * whose timer proves late gets an event as well: its hits are samples of the
 * time in the program. The kernel's time stays with the timer: its tick counts
 * if it was the kernel's, by the kernel's own account. Together they stand for the
 * thread's CPU time: the account says at each tick how much that is, and hits stand
 * for a little more or less than a period until the samples have told as much.
 *
 * What keeps this from being noticed:
 *
 * - Hits that find the thread in the kernel are dropped there (exclude_kernel). So the
 *   signal is sent while the thread executes its program, and arrives before the
 *   next instruction: no system call ever returns for it. On a PREEMPT_RT
 *   kernel it is sent by another thread, later: there are no events there.
 * - The signal is SIGURG, because it does nothing where no handler is. Others
 *   would kill: a program that was exec'ed meanwhile, or one whose runtime replaces
 *   handlers by system calls of its own, as Go's does (which uses SIGURG
 *   itself, and bears any number of them). No SIGIO comes in its place: the kernel
 *   sends that where a signal could not be queued, which can only be said
 *   of real-time signals; of others at worst the origin is lost.
 * - Once the program has a use for SIGURG (a handler, a mask that names it, one
 *   that comes from somebody else), it has it alone: all threads are back at the tick.
 * - No descriptor stays open: what keeps an event alive is a page of it, mapped.
 *   The kernel counts that page as locked memory of the user. So we take no
 *   more than a 64th of what RLIMIT_MEMLOCK allows.
 * - The kernel does not copy the page to children, and an exec ends the event.
 * - A thread pays for an event only when it has used some ticks' time, and not
 *   while it changes often between running and waiting.
 * - No event is asked for behind a system call filter: its answer may be death.
 */
#ifndef CLEW_TIME_EVENTS_H
#define CLEW_TIME_EVENTS_H

#include <signal.h>
#include <stdint.h>

#include "preload/hot/tally.h"

/* What events have to know of ticks, which call them. */
struct events_ticks {
	uint64_t length_ns; /* how far they are apart; 0: unknown */
	int signal;         /* that they come by */
	int are_wanted;     /* and nothing finer */
};

/*
 * Before main, when the header says how time is taken: from now on events may be
 * had, unless only ticks are wanted, or what was asked for is no finer.
 */
void events_start(const struct events_ticks *ticks);

/* In a forked child, which has none of its parent's. */
void events_forget(void);

/*
 * Have one for the calling thread, whose tally this is, or note why not. Not before
 * it has used some time, and not while it has SIGURG blocked; once, then this
 * does nothing. In the handler of its timer's signal.
 */
void events_begin(struct tally *tally, uint64_t blocked);

/* The tally's owner has none any more. Under the lock of the tallies. */
void events_end(struct tally *tally);

/* The calling thread is about to call exec. */
void events_end_own(void);

/*
 * So much CPU time was used since the last tick, with so many switches. An event
 * makes each switch dearer, by 10 us on a virtual machine: threads
 * that have more than one in half a millisecond of their time are left to the tick.
 */
void events_note_use(struct tally *tally, uint64_t used_us, uint64_t switches);

/*
 * Whether the tick that brought the tally's owner to its handler came while the
 * kernel was about to say that the event had a hit: then what it found the
 * kernel doing was that, and nothing of the program's. Once for each tick.
 */
int events_met_tick(struct tally *tally);

/*
 * At a tick of a thread that has an event: the time that a sample of this tick
 * is to stand for, if it was to stand for `weight_ns` without the event. 0: no
 * sample is wanted. By the tally's owner, in its handler.
 */
uint64_t events_settle(struct tally *tally, uint64_t weight_ns, int is_kernel);

/* ---- As those of ticks.h, which calls them, but for SIGURG ---- */

int events_is_signal(int signal);
int events_change_action(const struct sigaction *set, struct sigaction *old);
uint64_t events_take_out(uint64_t mask);
uint64_t events_put_back(uint64_t mask);
uint64_t events_own_signal(void);
void events_yield(int signal);

#endif
