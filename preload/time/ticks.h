/* SPDX-License-Identifier: MIT */
/*
 * A timer on each thread's CPU clock. The timer's signal samples what the
 * thread does: all samples of --time=cpu, and those of --time=wall for threads
 * that run.
 *
 * The handler reads the id and the pc and stores them. The handler walks the
 * stack only at the first tick of a thread without a tally (early_timers.h).
 * The thread pointer may be the program's, so the timer's value leads to the
 * tally, and the tally to the thread (thread_pointer.h). Any sender may use any
 * value: only a value with clew's secret is accepted, and it leads only to the
 * tally of the receiving thread. The kernel checks timers at its tick, which
 * may be less often than requested. A sample then also stands for the missed
 * periods, or the thread has an event for its time in the program (events.h),
 * and its timer's samples are the kernel's time.
 *
 * A program that counts EINTR must see none. Since Linux 5.10 an expired CPU
 * timer is handled when the thread returns to its program, never within a
 * system call (POSIX_CPU_TIMERS_TASK_WORK), so no sleeping call is woken. Only
 * a signal that is pending while blocked, and is unblocked while a call waits,
 * could interrupt that call. Therefore clew takes its signal out of every mask
 * (signals.c), except for handlers on alternate stacks, whose waits keep it
 * blocked. No call that waits for signals receives it. On older kernels there
 * are no timers.
 *
 * The program does not use this signal at first. If it installs a handler
 * later, both get the signal (chained.h). If it names the signal in a mask, as
 * it does to wait for it, clew gives the signal up and samples no more. clew's
 * handler remains installed: it consumes clew's own pending signals and passes
 * the program's on.
 */
#ifndef CLEW_TIME_TICKS_H
#define CLEW_TIME_TICKS_H

#include <signal.h>
#include <stdint.h>

#include "preload/hot/tally.h"

/* Begins to sample threads that attach. Called before main. */
void ticks_start(uint64_t period_ns);

/* Stops sampling in all threads until ticks_resume(). */
void ticks_stop(void);

/*
 * Stops sampling for good, also if ticks_start() follows: the program has
 * stacks with less room than the signal's frame needs.
 */
void ticks_give_up(void);

/* Ends sampling for good without counting samples as lost. */
void ticks_end(void);
void ticks_resume(void);

/*
 * Stops sampling the calling thread while it must not receive signals.
 * Meanwhile it counts as a thread without a timer.
 */
void ticks_pause_thread(void);
void ticks_resume_thread(void);

/*
 * Starts the timer of the calling thread, which begins to use this tally. If
 * that fails the thread is counted as one without a timer. Under the tallies'
 * lock.
 */
void ticks_begin_thread(struct tally *tally);

/*
 * Called in a forked child. An heir, its only thread, has no tally yet
 * (stack/callers.h): its first tick gives it one, unless a call has done so.
 */
void ticks_after_fork(int is_heir);

/*
 * Starts the timers of threads that exist since before clew attached. Returns
 * 1, or 0 if some of them block the signal now. A watch_errand.
 */
int ticks_begin_early_threads(void);

/* Returns whether the owner of a tally has a timer. Any thread. */
int ticks_has_timer(const struct tally *tally);

/*
 * Returns the distance of the kernel's ticks, after ticks_start(); 0: unknown.
 */
uint64_t ticks_length_ns(void);

/* Returns the ticks' signal. */
int ticks_signal(void);

/* ---- For the fronts of libc's signal functions ---- */

/* Returns whether clew uses this signal; the program may use it as well. */
int ticks_is_signal(int signal);

/* Does the same as sigaction() for this signal. Returns 0 or -errno. */
int ticks_change_action(int signal, const struct sigaction *set,
			struct sigaction *old);

/*
 * Returns the mask for the kernel when the program wants to block `mask`. A
 * mask with most real-time signals does not mean clew's, which is taken out. A
 * mask that names few signals and clew's makes clew give its signal up.
 */
uint64_t ticks_take_out(uint64_t mask);

/* Returns the mask as the program means it, given the kernel's. */
uint64_t ticks_put_back(uint64_t mask);

/* Returns the signals of timers and events, a bit each. */
uint64_t ticks_own_signals(void);

/*
 * Returns which signals of ticks_own_signals() to block in a handler whose
 * action has these flags. An alternate stack often has little more room than
 * one signal's frame (SIGSTKSZ is 8 KiB, a frame with the registers of AVX-512
 * 3.5), so clew's signal on top of the handler could end the process.
 */
uint64_t ticks_kept_from(uint64_t action_flags);

/*
 * Called when the program starts to use the signal itself, for example for a
 * timer. If clew uses the signal for samples, clew stops doing so.
 */
void ticks_yield(int signal);

#endif
