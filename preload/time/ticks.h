/* SPDX-License-Identifier: MIT */
/*
 * A timer for each thread, by its CPU clock, whose signal finds out what the
 * thread is doing: all of --time=cpu, and what --time=wall knows of threads that
 * run.
 *
 * The handler reads the id and the pc and stores them. It walks the stack only at
 * the first tick of a thread that has no tally yet (early_timers.h). The thread
 * pointer may be the program's, so the timer's value leads to the tally
 * and that to the thread (thread_pointer.h). Who may send us signals can make up
 * any value: one with our secret is ours, and leads to no other tally than that
 * of the thread to which the signal has come. The kernel looks at the timers
 * when it ticks, which may be less often than was asked for: a sample stands
 * for the periods that were missed as well, or the thread has an event for its time in
 * the program (events.h), and its timer's samples are of the kernel's time.
 *
 * A program that counts EINTR must see none. Since Linux 5.10 an expired CPU
 * timer is dealt with when the thread returns to its program, never in the
 * middle of a system call (POSIX_CPU_TIMERS_TASK_WORK): so a call that sleeps
 * is not woken, whatever it is. Only a signal that is blocked while it comes,
 * and let through while a call waits, could do that: so ours is taken out of
 * every mask (signals.c), but for handlers on alternate stacks, whose waits keep
 * it blocked; and no call that waits for signals meets it. Older kernels get no
 * timers.
 *
 * The signal is one that the program does not use. Should it put a handler
 * there later, both have it (chained.h); should it name the signal in a mask,
 * as those do that wait for it, we let go of it and sample no more. Our handler
 * stays in front even so: a signal of ours that has not come yet ends there,
 * and none of the program's that wait to be let through are lost.
 */
#ifndef CLEW_TIME_TICKS_H
#define CLEW_TIME_TICKS_H

#include <signal.h>
#include <stdint.h>

#include "preload/hot/tally.h"

/* Before main: from now on threads that attach are sampled. */
void ticks_start(uint64_t period_ns);

/* No samples any more, in any thread; but for ticks_resume(), for good. */
void ticks_stop(void);

/*
 * The same, also if ticks_start() follows: the program has stacks with less room than
 * the kernel needs for the signal's frame.
 */
void ticks_give_up(void);

/* For good, and no sample is missed. */
void ticks_end(void);
void ticks_resume(void);

/*
 * No samples of the calling thread, for as long as it may not be sent signals:
 * it is counted as one without a timer meanwhile.
 */
void ticks_leave_thread(void);
void ticks_come_back_to_thread(void);

/*
 * The calling thread counts in this tally from now on. Under the lock of the
 * tallies; where no timer is to be had, the thread is counted as that.
 */
void ticks_begin_thread(struct tally *tally);

/*
 * In a forked child. An heir, its only thread, has no tally yet (stack/callers.h): its
 * first tick gives it one, unless it has called something by then.
 */
void ticks_after_fork(int is_heir);

/*
 * Starts the timers of threads that exist since before clew attached. Returns 1,
 * or 0 if some of them block the signal now. A watch_errand.
 */
int ticks_begin_early_threads(void);

/* Whether the owner of a tally has one. Any thread. */
int ticks_has_timer(const struct tally *tally);

/* How far the kernel's ticks are apart, once ticks_start() has been; 0: unknown. */
uint64_t ticks_length_ns(void);

/* The signal that ticks come by. */
int ticks_signal(void);

/* ---- For those in front of libc's signal functions ---- */

/* Whether this is a signal that we use; the program may do so as well. */
int ticks_is_signal(int signal);

/* As sigaction() for it, but 0 or -errno. */
int ticks_change_action(int signal, const struct sigaction *set,
			struct sigaction *old);

/*
 * Signals that the program wants blocked: what is to go to the kernel. Where
 * most real-time signals are named, ours is not meant; else it is given up.
 */
uint64_t ticks_take_out(uint64_t mask);

/* What the kernel says is blocked, as the program means it. */
uint64_t ticks_put_back(uint64_t mask);

/* Those that timers and events send, a bit each. */
uint64_t ticks_own_signals(void);

/*
 * Those of them that a handler with these flags is to run without. An alternate
 * stack often has little more room than one signal's frame takes (SIGSTKSZ is 8
 * KiB, a frame with the registers of AVX-512 3.5): one of ours on top of what the
 * handler needs would end a process that natively lives.
 */
uint64_t ticks_kept_from(uint64_t action_flags);

/* The program is going to send itself this signal. */
void ticks_yield(int signal);

#endif
