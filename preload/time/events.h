/* SPDX-License-Identifier: MIT */
/*
 * A finer clock than the kernel's tick, for the time that threads spend in
 * their program.
 *
 * The kernel checks CPU timers (ticks.h) at its tick, 250 times a second on
 * most machines, whatever rate was requested. A software event of perf_event
 * has a high-resolution timer that runs while its thread does. Therefore a
 * thread whose timer proves late also gets an event: its hits are samples of
 * the time in the program. The CPU timer still samples the time in the kernel:
 * a tick becomes a sample if the kernel's account of the thread says that the
 * thread was in the kernel. The account also says at each tick how much CPU
 * time all samples must stand for. A hit stands for one period, plus or minus a
 * part of the difference between that time and the time of all samples so far.
 *
 * Events are invisible to the program for these reasons:
 *
 * - The kernel drops hits in the kernel (exclude_kernel). Therefore a signal
 *   is sent while the thread executes its program, and arrives before the next
 *   instruction: no system call returns early. On a PREEMPT_RT kernel another
 *   thread sends the signal later, and clew uses no events.
 * - The signal is SIGURG, whose default action does nothing. Most other signals
 *   would kill a program that was exec'ed meanwhile, or a program whose
 *   runtime replaces clew's handler by a system call of its own. Go's runtime
 *   does so; it uses SIGURG itself and tolerates any number of them. If a
 *   real-time signal cannot be queued, the kernel sends SIGIO instead, which
 *   would kill as well. With SIGURG only the origin of a signal can be lost.
 * - If the program uses SIGURG (a handler, a mask that names it, a signal
 *   from another process), clew gives the signal up and all threads return to
 *   the tick.
 * - No descriptor stays open: a mapped page keeps the event alive. The kernel
 *   counts the page as locked memory of the user, so each process uses at most
 *   a 64th of RLIMIT_MEMLOCK.
 * - The kernel does not copy the page to children, and an exec ends the
 *   event.
 * - A thread gets an event only when it has used the time of some ticks, and
 *   not while it switches often between running and waiting.
 * - Behind a system call filter clew requests no event, because the filter
 *   may kill.
 */
#ifndef CLEW_TIME_EVENTS_H
#define CLEW_TIME_EVENTS_H

#include <signal.h>
#include <stdint.h>

#include "preload/hot/tally.h"

/* What events need to know about ticks (ticks.h). */
struct events_ticks {
	uint64_t length_ns; /* time between two ticks; 0 if it is unknown */
	int signal;         /* the ticks' signal */
	int are_wanted;     /* whether the user wants only ticks */
};

/*
 * Enables events if they are possible, unless the user wants only ticks or the
 * requested rate is not higher than that of the ticks. Called before main or
 * when clew attaches, after the fields about time in the recording's header are
 * set.
 */
void events_start(const struct events_ticks *ticks);

/* Resets the state in a forked child, which has none of its parent's events. */
void events_forget(void);

/*
 * Creates an event for the calling thread, which counts in this tally, or
 * stores why that failed. Does nothing before the thread has used some CPU
 * time, while it blocks SIGURG, and after an attempt, unless the thread's event
 * has ended since because the thread switched often. Called in the handler of
 * the thread's timer.
 */
void events_begin(struct tally *tally, uint64_t blocked);

/* Ends the event of the tally's thread. Called with the tallies' lock held. */
void events_end(struct tally *tally);

/* Ends the calling thread's event before exec. */
void events_end_own(void);

/*
 * Adds the CPU time and the context switches since the last tick. An event
 * makes each switch more expensive, by 10 us on a virtual machine. Therefore
 * threads with more than one switch in half a millisecond of their time use the
 * tick only.
 */
void events_note_use(struct tally *tally, uint64_t used_us, uint64_t switches);

/*
 * Returns whether the present tick came while the kernel was delivering the
 * signal of a hit. The kernel then worked for clew and not for the program.
 * Returns true only once for a tick.
 */
int events_met_tick(struct tally *tally);

/*
 * Returns the time that a sample of this tick must stand for, or 0 if no sample
 * is needed. `weight_ns` is that time for a thread without an event. Called by
 * the tally's thread in its handler.
 */
uint64_t events_settle(struct tally *tally, uint64_t weight_ns, int is_kernel);

/*
 * Returns whether the calling thread's event has sent this signal, which its
 * handler will not get (ticks_drop_pending()).
 */
int events_drop(const siginfo_t *info);

/*
 * ---- Functions of ticks.h for masks and actions, for SIGURG only; ticks.c
 * calls them ----
 */

int events_is_signal(int signal);
int events_change_action(const struct sigaction *set, struct sigaction *old);
uint64_t events_take_out(uint64_t mask);
uint64_t events_put_back(uint64_t mask);
uint64_t events_own_signal(void);
void events_yield(int signal);

#endif
