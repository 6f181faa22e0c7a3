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
 * The threads of an attached process are noted while all of them are stopped. The
 * watch's task (watch.h) creates their timers later, while they run.
 */
#ifndef CLEW_TIME_EARLY_TIMERS_H
#define CLEW_TIME_EARLY_TIMERS_H

#include <stdint.h>

struct hot_thread;
struct tally;
struct wire_frame;

/* Numbers from here on, in the value of a timer, mean an early timer. */
#define EARLY_TIMERS_FIRST (UINT32_C(1) << 31)

/*
 * The frames of a thread in which clew has found it when it attached, the innermost
 * first; those at 0 are not hooked. They exist until recording ends.
 */
struct early_frames {
	const struct wire_frame *items;
	uint32_t count;
};

struct early_timer {
	const struct hot_thread *thread;
	uint32_t tid;
	int32_t timer;
	/* The thread's CPU time when its timer began, or should have; 0: it was
	 * not read. */
	uint64_t came_ns;
	/* enum early_state; changed under the lock of the tallies */
	_Atomic uint32_t state;
	struct early_frames frames;
	/* Under the same lock: whether the thread needs no tally any more, and
	 * the one that was made for it (early_tallies.h), or NULL. */
	uint32_t has_begun;
	struct tally *tally;
};

/* Creates the CPU timer of a thread. 0 or -errno. */
typedef int (*early_timer_make)(uint32_t tid, uint32_t number, int32_t *timer);

/* Forgets all threads, and deletes their timers. */
void early_timers_end(void);

/* In a forked child: as early_timers_end(), but the timers are the parent's. */
void early_timers_forget(void);

/*
 * Makes room for so many threads of an attached process. Returns 0 or -errno. All
 * threads are stopped, so this makes one system call.
 */
int early_timers_reserve(uint64_t count);

/* Notes a thread, for early_timers_start(). */
void early_timers_add(const struct hot_thread *thread, uint32_t tid,
		      const struct early_frames *frames);

/* The one that was added as this one, counted from 0; or NULL. */
struct early_timer *early_timers_at(uint32_t index);

/*
 * The calling thread gets a tally: the one that was made for it, or NULL. Under the
 * lock of the tallies.
 */
struct tally *early_timers_take_tally(const struct hot_thread *thread,
				      uint32_t tid);

/* Creates the timer of this thread, the only one of a forked child. */
void early_timers_start_heir(const struct hot_thread *thread, uint32_t tid,
			     early_timer_make make);

/*
 * Creates the timers of all threads that have been added, but for threads that
 * have a tally by now, and for those that block `signals`: a tick that waits
 * until such a thread lets signals through would interrupt its system call.
 * Returns 1, or 0 if there are threads of the latter kind.
 */
int early_timers_start(uint64_t signals, early_timer_make make);

/*
 * The thread has a tally from now on. Stores the CPU time that it had used when its
 * early timer began; leaves *came_ns if it had none. Under the lock of the tallies.
 */
void early_timers_end_thread(uint32_t tid, uint64_t *came_ns);

/*
 * Deletes the timers. Returns how many there were. early_timers_resume() creates
 * them again, and returns how many it could. Under the lock of the tallies.
 */
uint64_t early_timers_stop(void);
uint64_t early_timers_resume(early_timer_make make);

/* Whether a thread has such a timer. Any thread. */
int early_timers_has(uint32_t tid);

/* The thread whose timer has this number, if the timer exists; or NULL. */
const struct early_timer *early_timers_find(uint32_t number);

#endif
