/* SPDX-License-Identifier: MIT */
/*
 * CPU timers of threads that have no tally yet.
 *
 * Two kinds of threads have to be sampled before they make a hooked call: the
 * only thread of a forked child, and the threads that exist when clew attaches.
 * Each of them gets a timer as soon as possible. The first tick of the timer
 * gives the thread a tally (ticks.c), in the thread itself; from then on the
 * tally's own timer replaces this one. A thread that never runs costs no tally.
 *
 * The threads of an attached process are noted while all of them are stopped.
 * The watch's task (watch.h) creates their timers later, while they run.
 */
#ifndef CLEW_TIME_EARLY_TIMERS_H
#define CLEW_TIME_EARLY_TIMERS_H

#include <stdint.h>

struct hot_thread;
struct tally;
struct wire_frame;

/*
 * The value of a timer's signal has the number of a tally, or, from this number
 * on, that of an early timer.
 */
#define EARLY_TIMERS_FIRST (UINT32_C(1) << 31)

/*
 * The frames that were on a thread's stack when clew attached, innermost first.
 * If a frame's `at` is 0, its function is not hooked. The array exists until
 * recording ends.
 */
struct early_frames {
	const struct wire_frame *items;
	uint32_t count;
};

struct early_timer {
	const struct hot_thread *thread;
	uint32_t tid;
	int32_t timer;
	/*
	 * The thread's CPU time when its timer was started, or could not be
	 * started; 0 if it was not read.
	 */
	uint64_t start_ns;
	/* enum early_state; changed under the lock of the tallies */
	_Atomic uint32_t state;
	struct early_frames frames;
	/*
	 * Whether the thread no longer needs a tally, and the tally that was
	 * created for it (early_tallies.h), or NULL. Protected by the tallies'
	 * lock.
	 */
	uint32_t has_begun;
	struct tally *tally;
};

/*
 * A function that creates a CPU timer for a thread. The value of the timer's
 * signal contains `number`. Returns 0 or -errno.
 */
typedef int (*early_timer_make)(uint32_t tid, uint32_t number, int32_t *timer);

/* Forgets all threads, and deletes their timers. */
void early_timers_end(void);

/*
 * Called in a forked child: forgets all threads without deleting the timers,
 * which are the parent's.
 */
void early_timers_forget(void);

/*
 * Makes room for `count` threads, when clew attaches to a process. Returns 0 or
 * -errno. Called while all threads are stopped, so the memory is mapped for all
 * of them at once.
 */
int early_timers_reserve(uint64_t count);

/* Registers a thread. early_timers_start() creates its timer later. */
void early_timers_add(const struct hot_thread *thread, uint32_t tid,
		      const struct early_frames *frames);

/* Returns the timer with this index, from 0, or NULL. */
struct early_timer *early_timers_at(uint32_t index);

/*
 * Called when a thread needs a tally. Returns the tally that was created for
 * it, or NULL. Called with the tallies' lock held.
 */
struct tally *early_timers_take_tally(const struct hot_thread *thread,
				      uint32_t tid);

/*
 * Creates the timer of this thread, which must be the only one of a forked
 * child.
 */
void early_timers_start_heir(const struct hot_thread *thread, uint32_t tid,
			     early_timer_make make);

/*
 * Creates the timers of all registered threads, except those that have a tally
 * by now and those that block `signals`: a pending tick would interrupt such a
 * thread's system call as soon as it unblocks the signals. Returns 1, or 0 if
 * some threads that still exist block them, or may block them.
 */
int early_timers_start(uint64_t signals, early_timer_make make);

/*
 * Deletes the early timer of a thread that has received a tally, and sets
 * *start_ns to the thread's CPU time when the timer was started. Leaves
 * *start_ns unchanged if there was no running timer. Called with the tallies'
 * lock held.
 */
void early_timers_end_thread(uint32_t tid, uint64_t *start_ns);

/*
 * early_timers_stop() deletes the timers. early_timers_resume() creates those
 * of an attached process's threads again, but not a forked child's. Each
 * returns how many timers of an attached process's threads it has deleted or
 * created. Both are called with the tallies' lock held.
 */
uint64_t early_timers_stop(void);
uint64_t early_timers_resume(early_timer_make make);

/*
 * Returns whether a thread that existed when clew attached has a running early
 * timer. Any thread may call this function.
 */
int early_timers_has(uint32_t tid);

/* Returns the timer with this number, or NULL if it does not exist. */
const struct early_timer *early_timers_find(uint32_t number);

#endif
