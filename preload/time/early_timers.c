/* SPDX-License-Identifier: MIT */
/* See early_timers.h. */
#include "preload/time/early_timers.h"

#include <stddef.h>

#include "preload/hot/runtime.h"
#include "preload/record/recorder.h"
#include "preload/sys/proc.h"
#include "preload/sys/sys.h"
#include "preload/time/cpu_timer.h"
#include "preload/time/observation.h"

enum early_state {
	EARLY_WAITS, /* the thread's timer is not created yet */
	EARLY_ON,
	EARLY_STOPPED,
	EARLY_OVER, /* the thread has a tally, or no timer is possible */
};

/*
 * `heir` is the timer of the only thread of a forked child, `others` those of
 * an attached process. Their memory stays mapped until the next session,
 * because the handler of a late signal may search it.
 */
static struct {
	struct early_timer heir;
	struct early_timer *others;
	uint64_t room;
	_Atomic uint32_t count;
} early = { .heir.state = EARLY_OVER };

static void delete_timer(struct early_timer *one, enum early_state state)
{
	if (one->state == EARLY_ON)
		cpu_timer_delete(one->timer);
	one->state = state;
}

void early_timers_end(void)
{
	for (uint32_t i = 0; i < early.count; i++)
		delete_timer(&early.others[i], EARLY_OVER);
	delete_timer(&early.heir, EARLY_OVER);
	early.count = 0;
}

void early_timers_forget(void)
{
	early.heir.state = EARLY_OVER;
	early.count = 0;
}

int early_timers_reserve(uint64_t count)
{
	void *memory;

	early_timers_end();
	if (early.room >= count)
		return 0;
	memory = sys_map_private(count * sizeof(*early.others));
	if (sys_failed(memory))
		return -ENOMEM;
	if (early.others)
		sys_munmap(early.others, early.room * sizeof(*early.others));
	early.others = memory;
	early.room = count;
	return 0;
}

void early_timers_add(const struct hot_thread *thread, uint32_t tid,
		      const struct early_frames *frames)
{
	if (early.count == early.room)
		return;
	early.others[early.count] = (struct early_timer){
		.thread = thread,
		.tid = tid,
		.state = EARLY_WAITS,
		.frames = *frames,
	};
	early.count++;
}

struct early_timer *early_timers_at(uint32_t index)
{
	return index < early.count ? &early.others[index] : NULL;
}

/*
 * Returns whether the tally still belongs to this thread. If not, the thread
 * has exited, and another thread uses the tally.
 */
static int is_for(const struct tally *tally, uint32_t tid)
{
	return tally->is_early && tally->tid == tid;
}

struct tally *early_timers_take_tally(const struct hot_thread *thread,
				      uint32_t tid)
{
	struct tally *tally;

	for (uint32_t i = 0; i < early.count; i++) {
		struct early_timer *one = &early.others[i];

		if (one->tid != tid || one->thread != thread)
			continue;
		tally = one->tally;
		one->has_begun = 1;
		one->tally = NULL;
		return tally && is_for(tally, tid) ? tally : NULL;
	}
	return NULL;
}

static uint32_t number_of(const struct early_timer *one)
{
	return one == &early.heir ? EARLY_TIMERS_FIRST
				  : EARLY_TIMERS_FIRST + 1 +
					    (uint32_t)(one - early.others);
}

static int start(struct early_timer *one, early_timer_make make)
{
	int err;

	one->start_ns = observed_cpu_ns(one->tid);
	err = make(one->tid, number_of(one), &one->timer);
	one->state = err ? EARLY_OVER : EARLY_ON;
	return err;
}

void early_timers_start_heir(const struct hot_thread *thread, uint32_t tid,
			     early_timer_make make)
{
	early.heir.thread = thread;
	early.heir.tid = tid;
	start(&early.heir, make);
}

static int may_start(const struct early_timer *one, uint64_t signals)
{
	uint64_t blocked;

	return !proc_blocked_signals((int)one->tid, &blocked) &&
	       !(blocked & signals);
}

static int is_gone(const struct early_timer *one)
{
	return !sys_thread_exists(sys_getpid(), (int)one->tid);
}

int early_timers_start(uint64_t signals, early_timer_make make)
{
	struct lock *lock = &rt.recorder->tallies.lock;
	uint64_t saved;
	int is_done = 1;

	for (uint32_t i = 0; i < early.count; i++) {
		struct early_timer *one = &early.others[i];

		if (one->state != EARLY_WAITS)
			continue;
		if (!one->start_ns)
			one->start_ns = observed_cpu_ns(one->tid);
		if (!may_start(one, signals)) {
			is_done &= is_gone(one);
			continue;
		}
		lock_acquire(lock, &saved);
		if (one->state == EARLY_WAITS)
			start(one, make);
		lock_release(lock, &saved);
	}
	return is_done;
}

static void end_one(struct early_timer *one, uint32_t tid, uint64_t *start_ns)
{
	if (one->tid != tid)
		return;
	if (one->state == EARLY_ON)
		*start_ns = one->start_ns;
	delete_timer(one, EARLY_OVER);
}

void early_timers_end_thread(uint32_t tid, uint64_t *start_ns)
{
	end_one(&early.heir, tid, start_ns);
	for (uint32_t i = 0; i < early.count; i++)
		end_one(&early.others[i], tid, start_ns);
}

uint64_t early_timers_stop(void)
{
	uint64_t stopped = 0;

	delete_timer(&early.heir, EARLY_OVER);
	for (uint32_t i = 0; i < early.count; i++) {
		if (early.others[i].state != EARLY_ON)
			continue;
		delete_timer(&early.others[i], EARLY_STOPPED);
		stopped++;
	}
	return stopped;
}

uint64_t early_timers_resume(early_timer_make make)
{
	uint64_t resumed = 0;

	for (uint32_t i = 0; i < early.count; i++)
		if (early.others[i].state == EARLY_STOPPED)
			resumed += !start(&early.others[i], make);
	return resumed;
}

int early_timers_has(uint32_t tid)
{
	for (uint32_t i = 0; i < early.count; i++)
		if (early.others[i].tid == tid)
			return early.others[i].state == EARLY_ON;
	return 0;
}

const struct early_timer *early_timers_find(uint32_t number)
{
	const uint32_t i = number - EARLY_TIMERS_FIRST;
	const struct early_timer *one;

	if (number < EARLY_TIMERS_FIRST || i > early.count)
		return NULL;
	one = i ? &early.others[i - 1] : &early.heir;
	return one->state == EARLY_ON ? one : NULL;
}
