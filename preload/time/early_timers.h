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

/* Numbers from here on, in the value of a timer, mean an early timer. */
#define EARLY_TIMERS_FIRST (UINT32_C(1) << 31)

struct early_timer {
	const struct hot_thread *thread;
	uint32_t tid;
	int32_t timer;
	uint64_t came_ns; /* the thread's CPU time when its timer began */
	/* enum early_state; changed under the lock of the tallies */
	_Atomic uint32_t state;
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
void early_timers_add(const struct hot_thread *thread, uint32_t tid);

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

/* The thread whose timer has this number, if the timer exists; or NULL. */
const struct early_timer *early_timers_find(uint32_t number);

#endif
