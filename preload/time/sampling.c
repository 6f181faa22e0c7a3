/* SPDX-License-Identifier: MIT */
/* See sampling.h. */
#include "preload/time/sampling.h"

#include "preload/hot/runtime.h"
#include "preload/hot/sink.h"
#include "preload/hot/tally.h"
#include "preload/hot/thread.h"
#include "preload/hot/upcalls.h"
#include "preload/record/recorder.h"
#include "preload/sys/sys.h"
#include "preload/time/early_tallies.h"
#include "preload/time/early_timers.h"
#include "preload/time/events.h"
#include "preload/time/samples.h"
#include "preload/time/ticks.h"
#include "preload/time/unsampled.h"
#include "preload/time/watch.h"

int sampling_is_on(void)
{
	const struct wire_header *header = rt.header;

	return header && header->state != WIRE_DISABLED &&
	       (header->time == WIRE_TIME_CPU ||
		header->time == WIRE_TIME_WALL);
}

void sampling_begin_thread(void)
{
	/*
	 * In a forked child that has not noticed its fork yet (process.c),
	 * nothing may be sampled.
	 */
	if (!*rt.is_this_process)
		return;
	if (!hot.tally && sampling_is_on())
		hot_make_room();
}

void sampling_expect_threads(uint64_t count)
{
	if (sampling_is_on() && early_timers_reserve(count))
		samples_lose(WIRE_SAMPLE_NO_TIMER, count);
}

void sampling_expect_thread(const struct hot_thread *thread, uint32_t tid,
			    const struct early_frames *frames)
{
	if (sampling_is_on())
		early_timers_add(thread, tid, frames);
}

/*
 * An errand (watch.h): samples the threads that existed when clew attached.
 * Returns whether this is complete.
 */
static int meet_expected(void)
{
	const int is_done = ticks_begin_early_threads();

	if (rt.header->time == WIRE_TIME_WALL)
		early_tallies_make();
	return is_done;
}

void sampling_meet_expected(void)
{
	if (sampling_is_on())
		watch_run_errand(meet_expected);
}

struct tally *hot_early_tally(void)
{
	return early_timers_take_tally(&hot, (uint32_t)sys_gettid());
}

/*
 * Called when a thread begins to count in a tally. A thread that existed before
 * clew attached may block the signals that sample it.
 */
uint64_t hot_thread_begins(struct tally *tally)
{
	ticks_begin_thread(tally);
	sink_begin_thread(tally);
	return rt.is_late ? ticks_own_signals() : 0;
}

void hot_thread_has_begun(struct tally *tally)
{
	watch_meet(tally);
}

/*
 * If the child's part has no file (is_private), no reader will see its samples,
 * and none are taken.
 */
void sampling_after_fork(void)
{
	const int is_seen = !rt.recorder->part.file.is_private;

	if (is_seen)
		watch_start_after_fork();
	else
		watch_end_after_fork();
	ticks_after_fork(is_seen && rt.is_heir && sampling_is_on());
	if (!sampling_is_on())
		return;
	if (is_seen) {
		if (!rt.is_heir)
			sampling_begin_thread();
		return;
	}
	rt.header->time = WIRE_TIME_NONE;
	ticks_stop();
}

static void start_events(const struct config *config)
{
	const struct events_ticks ticks = { .length_ns = ticks_length_ns(),
					    .signal = ticks_signal(),
					    .are_wanted = config->wants_ticks };

	events_start(&ticks);
}

void sampling_start(const struct config *config)
{
	struct wire_header *header = rt.header;

	/*
	 * Threads of a former session may have tallies, of that session, that
	 * they have not taken over.
	 */
	early_timers_end();
	samples_describe(header, config->time, config->rate_hz);
	if (!sampling_is_on())
		return;
	ticks_start(header->period_ns);
	start_events(config);
	if (config->time == WIRE_TIME_WALL)
		watch_start(header->period_ns);
	if (!rt.is_late)
		sampling_begin_thread();
}

void sampling_end_thread(void)
{
	if (*rt.is_this_process && sampling_is_on() &&
	    rt.header->state == WIRE_RUNNING)
		unsampled_end_thread();
}

void sampling_note_rest(void)
{
	if (sampling_is_on() && !runtime_is_filtered() &&
	    !samples_in_vfork_child()) {
		early_tallies_note_rest();
		unsampled_end_all(&rt.recorder->tallies);
	}
}

void sampling_end(void)
{
	watch_end();
	if (!sampling_is_on())
		return;
	sampling_note_rest();
	ticks_end();
}
