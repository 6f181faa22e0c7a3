/* SPDX-License-Identifier: MIT */
/* See early_tallies.h. */
#include "preload/time/early_tallies.h"

#include <stddef.h>

#include "preload/hot/record.h"
#include "preload/hot/runtime.h"
#include "preload/hot/switch.h"
#include "preload/hot/tally.h"
#include "preload/record/recorder.h"
#include "preload/sys/sys.h"
#include "preload/time/early_timers.h"
#include "preload/time/observation.h"
#include "preload/time/samples.h"
#include "preload/time/unsampled.h"
#include "wire/attachment.h"
#include "wire/id.h"

/*
 * Threads that have used less CPU time than this since clew attached are taken
 * to have only waited: attaching itself costs most of them less.
 */
#define LEAST_NS UINT64_C(1000000)

/*
 * Records the contexts of these frames in hot.tally, the outermost one first.
 * Skips frames of functions that are not hooked.
 */
static void record_frames(const struct early_frames *frames)
{
	union note note = { 0 };
	uint64_t id = ID_ROOT;

	for (uint32_t i = frames->count; i-- > 0;) {
		const struct wire_frame *frame = &frames->items[i];

		if (!frame->at)
			continue;
		note.function = frame->number;
		note.depth++;
		id = id_push(id, id_key(note.function));
		if (!tally_note(hot.tally, id).word && !record_caller(id, note))
			return;
	}
}

/*
 * Creates the tally of a thread. Called with the tallies' lock held. Returns
 * NULL if there is no room; the thread's samples are then lost, and its tally
 * is not requested again.
 */
static struct tally *make_tally(struct early_timer *one)
{
	one->tally = tallies_make_early(&rt.recorder->tallies, one->thread,
					one->tid);
	if (!one->tally) {
		one->has_begun = 1;
		samples_lose(WIRE_SAMPLE_NO_TIMER, 1);
	}
	return one->tally;
}

/*
 * Creates a tally for a thread that has none, and records the context in it
 * that the thread had when clew attached. The thread itself will count in this
 * tally later.
 */
static void make_early_tally(struct early_timer *one, uint64_t since_ns)
{
	struct tally *tally = make_tally(one);

	if (!tally)
		return;
	unsampled_begin(tally);
	hot.random = sys_clock_ns(CLOCK_MONOTONIC) * ID_MULTIPLIER | 1;
	hot.attempts_left = 0;
	hot.tally = tally;
	record_frames(&one->frames);
	switch_detach();
	/* The thread has been waiting since before it had a tally. */
	tally->visits.attached_ns = since_ns;
}

static void note_rest(struct early_timer *one, uint64_t since_ns)
{
	const uint64_t cpu_ns = observed_cpu_ns(one->tid);
	struct tally *tally;

	if (!one->start_ns || cpu_ns < one->start_ns + LEAST_NS)
		return;
	tally = make_tally(one);
	if (tally)
		tally->unsampled =
			(struct tally_unsampled){ .start_ns = one->start_ns };
}

static void for_each_without(void (*make)(struct early_timer *, uint64_t))
{
	const uint64_t now_ns = sys_clock_ns(CLOCK_MONOTONIC);
	struct lock *lock = &rt.recorder->tallies.lock;
	struct early_timer *one;
	uint64_t signals;

	for (uint32_t i = 0; (one = early_timers_at(i)); i++) {
		if (one->has_begun || one->tally ||
		    !sys_thread_exists(sys_getpid(), (int)one->tid))
			continue;
		lock_acquire(lock, &signals);
		if (!one->has_begun && !one->tally)
			make(one, now_ns);
		lock_release(lock, &signals);
	}
}

void early_tallies_make(void)
{
	for_each_without(make_early_tally);
}

void early_tallies_note_rest(void)
{
	for_each_without(note_rest);
}
