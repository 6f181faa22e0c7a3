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

/* Numbers from here on, in a timer's value, are those of early timers. */
#define EARLY_TIMERS_FIRST (UINT32_C(1) << 31)

/*
 * The frames in which clew has found a thread when it attached, innermost
 * first. Frames with `at` 0 are not hooked. The frames exist until recording
 * ends.
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
	 * The thread's CPU time when its timer began or should have begun; 0:
	 * not read.
	 */
	uint64_t start_ns;
	/* enum early_state; changed under the lock of the tallies */
	_Atomic uint32_t state;
	struct early_frames frames;
	/*
	 * Under the tallies' lock: whether the thread no longer needs a tally,
	 * and the tally that was created for it (early_tallies.h), or NULL.
	 */
	uint32_t has_begun;
	struct tally *tally;
};

/*
 * Creates the CPU timer of a thread, with a signal whose value has this number.
 * Returns 0 or -errno.
 */
typedef int (*early_timer_make)(uint32_t tid, uint32_t number, int32_t *timer);

/* Forgets all threads, and deletes their timers. */
void early_timers_end(void);

/* In a forked child: as early_timers_end(), but the timers are the parent's. */
void early_timers_forget(void);

/*
 * Makes room for `count` threads, when clew attaches to a process. Returns 0 or
 * -errno. Called while all threads are stopped, so the memory is mapped for all
 * of them at once.
 */
int early_timers_reserve(uint64_t count);

/* Notes a thread, for early_timers_start(). */
void early_timers_add(const struct hot_thread *thread, uint32_t tid,
		      const struct early_frames *frames);

/* Returns the timer with this index, from 0, or NULL. */
struct early_timer *early_timers_at(uint32_t index);

/*
 * Returns the tally that was created for the calling thread, which needs one
 * now, or NULL. Under the tallies' lock.
 */
struct tally *early_timers_take_tally(const struct hot_thread *thread,
				      uint32_t tid);

/* Creates the timer of this thread, the only one of a forked child. */
void early_timers_start_heir(const struct hot_thread *thread, uint32_t tid,
			     early_timer_make make);

/*
 * Creates the timers of all noted threads, except those that have a tally by
 * now and those that block `signals`: a pending tick would interrupt such a
 * thread's system call as soon as it unblocks the signals. Returns 1, or 0 if
 * some threads block them.
 */
int early_timers_start(uint64_t signals, early_timer_make make);

/*
 * Deletes the early timer of a thread that has got a tally. Stores the CPU time
 * when the timer began, or leaves *start_ns if there was none. Under the
 * tallies' lock.
 */
void early_timers_end_thread(uint32_t tid, uint64_t *start_ns);

/*
 * early_timers_stop() deletes the timers and returns their number.
 * early_timers_resume() creates them again and returns how many it could
 * create. Under the tallies' lock.
 */
uint64_t early_timers_stop(void);
uint64_t early_timers_resume(early_timer_make make);

/* Returns whether a thread has an early timer. Any thread. */
int early_timers_has(uint32_t tid);

/*
 * Returns the thread whose timer has this number, if the timer exists, or NULL.
 */
const struct early_timer *early_timers_find(uint32_t number);

#endif
