/* SPDX-License-Identifier: MIT */
/*
 * A timer on each thread's CPU clock. The timer's signal samples what the
 * thread does: all samples of --time=cpu, and those of --time=wall for threads
 * that run.
 *
 * The handler reads the id and the pc and stores them. The handler walks the
 * stack only at the first tick of a thread without a tally (early_timers.h).
 * The thread pointer cannot be trusted in the handler, because a program may
 * have changed it (thread_pointer.h). Therefore the value of the timer's signal
 * contains the tally's number, and the tally has the address of the thread's
 * data. Any process may send such a signal with any value: only a value with
 * clew's secret is accepted, and it leads only to the tally of the receiving
 * thread. The kernel checks timers at its tick, which may be less often than
 * requested. A sample then also stands for the missed periods, or the thread
 * has an event for its time in the program (events.h), and its timer's samples
 * are the kernel's time.
 *
 * The timers must not make the program's system calls fail with EINTR. Since
 * Linux 5.10 an expired CPU timer is handled when the thread returns to its
 * program, never within a system call (POSIX_CPU_TIMERS_TASK_WORK), so no
 * sleeping call is woken. Only a signal that is pending while blocked, and is
 * unblocked while a call waits, could interrupt that call. Therefore clew
 * removes its signal from every mask by which the program blocks most real-time
 * signals (signals.c). Only handlers on alternate stacks block it. A call that
 * waits for signals never returns clew's. On kernels before 5.10 there are no
 * timers.
 *
 * clew chooses a signal that the program does not use. If the program installs
 * a handler later, both get the signal (chained.h). If the program names the
 * signal in a mask, as it does to wait for it, clew gives the signal up and
 * samples no more. clew's handler remains installed: it consumes clew's own
 * pending signals and passes the program's on.
 */
#ifndef CLEW_TIME_TICKS_H
#define CLEW_TIME_TICKS_H

#include <signal.h>
#include <stdint.h>

#include "preload/hot/tally.h"

/*
 * Prepares sampling, so that each thread gets a timer when it receives a tally.
 * Called before main, or when clew attaches.
 */
void ticks_start(uint64_t period_ns);

/* Stops sampling in all threads until ticks_resume(). */
void ticks_stop(void);

/*
 * Stops sampling permanently, even if ticks_start() is called later. Called
 * when the program has stacks that are too small for the signal's frame.
 */
void ticks_give_up(void);

/* Ends sampling without counting samples as lost. */
void ticks_end(void);
void ticks_resume(void);

/*
 * Stop and resume sampling the calling thread, for a time in which it must not
 * receive signals. The recording counts it as a thread without a timer
 * meanwhile.
 */
void ticks_pause_thread(void);
void ticks_resume_thread(void);

/*
 * Starts the timer of the calling thread, which begins to count in this tally.
 * If that fails, the recording counts the thread as one without a timer. Called
 * with the tallies' lock held.
 */
void ticks_begin_thread(struct tally *tally);

/*
 * Called in a forked child. is_heir is 1 if the child's thread has no tally
 * yet, but can record its parent's callers later (stack/callers.h). The thread
 * gets a tally at its first hooked call, or when its timer expires first.
 */
void ticks_after_fork(int is_heir);

/*
 * Starts the timers of threads that existed when clew attached. Returns 1, or 0
 * if some of them block the signal at present. The watch calls this as an
 * errand (watch.h).
 */
int ticks_begin_early_threads(void);

/*
 * Returns whether the thread that counts in this tally has a timer. Any thread
 * may call this function.
 */
int ticks_has_timer(const struct tally *tally);

/*
 * Returns the time between two ticks of the kernel, or 0 if it is unknown. Call
 * it after ticks_start().
 */
uint64_t ticks_length_ns(void);

/* Returns the ticks' signal, or 0 if there is none. */
int ticks_signal(void);

/* ---- For clew's wrappers of libc's signal functions ---- */

/* Returns whether clew uses this signal; the program may use it as well. */
int ticks_is_signal(int signal);

/* Does the same as sigaction() for this signal. Returns 0 or -errno. */
int ticks_change_action(int signal, const struct sigaction *set,
			struct sigaction *old);

/*
 * Returns the mask to set in the kernel when the program wants to block `mask`.
 * If the mask contains most real-time signals, the program does not mean clew's
 * in particular, and clew's is removed. If it contains few real-time signals
 * and clew's is one of them, clew stops using that signal.
 */
uint64_t ticks_take_out(uint64_t mask);

/*
 * Converts a mask of the kernel to the mask that the program has set. The
 * opposite of ticks_take_out().
 */
uint64_t ticks_put_back(uint64_t mask);

/*
 * Drops the calling thread's pending signals of timers and events, while it
 * blocks these signals of ticks_own_signals(). Signals for the program are sent
 * again.
 */
void ticks_drop_pending(uint64_t signals);

/* Returns the signals that timers and events use, as a mask. */
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
