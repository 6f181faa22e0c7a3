/* SPDX-License-Identifier: MIT */
/* See observation.h. */
#include "preload/time/observation.h"

#include <stddef.h>

#include "preload/hot/thread.h"
#include "preload/hot/upcalls.h"
#include "preload/sys/own_code.h"
#include "preload/sys/sys.h"
#include "preload/time/cpu_timer.h"
#include "preload/time/samples.h"

#define TRIES 3 /* attempts to get a consistent answer */

/*
 * How much of another thread's struct hot_thread is read: the members up to
 * `tally`.
 */
#define READ_BYTES (offsetof(struct hot_thread, tally) + sizeof(void *))

uint64_t observed_cpu_ns(uint32_t tid)
{
	return sys_clock_ns(cpu_timer_clock(tid));
}

/*
 * Reads the struct hot_thread of the tally's thread. Returns false if the
 * thread has exited or counts in another tally.
 */
static int read_thread(const struct tally *tally, struct observation *observed)
{
	const struct tally *expected = tally->is_early ? NULL : tally;
	struct hot_thread thread;

	if (sys_read_memory((uintptr_t)tally->hot, &thread, READ_BYTES) ||
	    thread.tally != expected)
		return 0;
	observed->id = thread.id;
	observed->is_shared = thread.muted == HOT_MUTED_SHARED;
	return 1;
}

/*
 * Returns why a sleeping thread waits. A thread that sleeps outside of system
 * calls waits for a page, or is stopped.
 */
static uint32_t wait_of(struct proc_text *text, uint32_t tid, long call)
{
	char state;

	if (call >= 0)
		return call < WIRE_WAIT_UNSAMPLED - WIRE_WAIT_CALL
			       ? (uint32_t)call + WIRE_WAIT_CALL
			       : WIRE_WAIT_UNKNOWN;
	state = proc_state(text, (int)tid);
	return state == 'T' || state == 't' ? WIRE_WAIT_STOPPED
					    : WIRE_WAIT_FAULT;
}

static uint64_t where_of(struct proc_text *text, uint32_t tid,
			 const struct proc_activity *activity)
{
	const uint64_t pc = hot_program_pc(activity->pc);
	uint64_t where =
		wire_sample_blocked(wait_of(text, tid, activity->call));

	where |= pc & WIRE_SAMPLE_PC;
	if (own_code_has(pc))
		where |= WIRE_SAMPLE_CLEW;
	return where;
}

static void ask_kernel(const struct tally *tally, int may_ask,
		       struct observation *observed)
{
	struct proc_activity activity;
	struct proc_text text;
	int err = may_ask ? proc_wait(&text, (int)tally->tid, &activity)
			  : -EACCES;

	if (err == -ESRCH) {
		observed->state = OBSERVED_GONE;
	} else if (err) {
		observed->state = OBSERVED_BLOCKED;
		observed->where = wire_sample_blocked(WIRE_WAIT_UNKNOWN);
	} else if (!activity.is_asleep) {
		observed->state = OBSERVED_READY;
	} else {
		observed->state = OBSERVED_BLOCKED;
		observed->where = where_of(&text, tally->tid, &activity);
	}
}

void observe(const struct tally *tally, uint64_t cpu_ns, int may_ask,
	     struct observation *out)
{
	struct observation observed = { .cpu_ns = cpu_ns };

	for (int i = 0; i < TRIES; i++) {
		uint64_t before_ns = observed.cpu_ns;

		observed.cpu_ns = observed_cpu_ns(tally->tid);
		observed.state = OBSERVED_GONE;
		if (!observed.cpu_ns || !read_thread(tally, &observed))
			break;
		observed.state = OBSERVED_RUNS;
		if (observed.cpu_ns != before_ns)
			break;
		ask_kernel(tally, may_ask, &observed);
		if (observed_cpu_ns(tally->tid) == observed.cpu_ns)
			break;
		observed.state =
			OBSERVED_RUNS; /* the thread has begun to run */
	}
	*out = observed;
}
