/* SPDX-License-Identifier: MIT */
/* See presence.h. */
#include "preload/time/presence.h"

#include "preload/hot/runtime.h"
#include "preload/hot/thread.h"
#include "preload/hot/timing.h"
#include "preload/hot/upcalls.h"
#include "preload/record/recorder.h"
#include "preload/sys/sys.h"
#include "preload/time/observation.h"

void presence_begin(struct tally *tally)
{
	tally->presence.former_present_ns = tally->wire->present_ns;
	tally->presence.former_cpu_ns = tally->wire->cpu_ns;
	tally->presence.start_cpu_ns = observed_cpu_ns(tally->tid);
	tally->presence.start_ns = sys_clock_ns(CLOCK_MONOTONIC);
}

/*
 * Stores the totals up to now. They are not added to the last values: if a
 * signal handler or another thread stores totals at the same time, either
 * result is right.
 */
static void note(struct tally *tally)
{
	const uint64_t cpu_ns = observed_cpu_ns(tally->tid);
	const uint64_t now_ns = sys_clock_ns(CLOCK_MONOTONIC);

	/* The thread has exited, or it has not begun to count in the tally. */
	if (!cpu_ns || !now_ns || !tally->presence.start_ns)
		return;
	tally->wire->present_ns = tally->presence.former_present_ns + now_ns -
				  tally->presence.start_ns;
	tally->wire->cpu_ns = tally->presence.former_cpu_ns + cpu_ns -
			      tally->presence.start_cpu_ns;
}

void hot_note_presence(void)
{
	if (hot.tally && !runtime_is_filtered())
		note(hot.tally);
}

void presence_note_all(struct tallies *tallies)
{
	uint64_t signals;

	lock_acquire(&tallies->lock, &signals);
	for (struct tally *tally = tallies->first; tally; tally = tally->next)
		note(tally);
	lock_release(&tallies->lock, &signals);
}
