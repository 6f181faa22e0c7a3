/* SPDX-License-Identifier: MIT */
/* See visits.h. */
#include "preload/time/visits.h"

#include <stdatomic.h>
#include <stddef.h>

#include "preload/hot/runtime.h"
#include "preload/record/recorder.h"
#include "preload/sys/sys.h"
#include "preload/time/observation.h"
#include "preload/time/samples.h"
#include "preload/time/ticks.h"
#include "preload/time/unsampled.h"

#define SLAB_BYTES 16384

/*
 * A sample of a waiting thread grows up to these limits; then a new one begins.
 */
#define MERGED_NS           UINT64_C(1000000000)
#define MERGED_OBSERVATIONS 60000
/*
 * A thread that has run for less than 1/RAN_PART of the time between two
 * observations is taken to have waited all the time.
 */
#define RAN_PART 16
/* Limits of watched.owed_ns. */
#define MOST_OWED_NS  INT64_C(200000000)
#define LEAST_OWED_NS INT64_C(-20000000)
#define LEAST_PUT_NS  1000000
#define UNKNOWN_NS    UINT64_MAX

#define MIN(a, b)     ((a) < (b) ? (a) : (b))

/* The watch's data about the thread of a tally. */
struct watched {
	struct sample_room room;
	/*
	 * The thread's last sample if the thread was blocked at that time, else
	 * NULL.
	 */
	struct wire_sample *blocked;
	struct strata strata;
	uint64_t cpu_ns; /* CPU time at the last observation */
	/*
	 * How long the thread has waited for a processor according to its
	 * samples, or UNKNOWN_NS.
	 */
	uint64_t ready_ns;
	/*
	 * How long the thread has waited for a processor without a sample for
	 * it; negative if samples stand for too much.
	 */
	int64_t owed_ns;
	uint64_t since; /* the thread has not run since this tick */
};

static struct watched *take_memory(void)
{
	static unsigned char *slab; /* used by one thread only */
	static size_t left;

	if (left < sizeof(struct watched)) {
		void *fresh = sys_map_private(SLAB_BYTES);

		if (sys_failed(fresh))
			return NULL;
		slab = fresh;
		left = SLAB_BYTES;
	}
	left -= sizeof(struct watched);
	return (struct watched *)(slab + left);
}

/* ---- What is written ---- */

static void put_blocked(struct tally *tally, uint64_t id, uint64_t where,
			uint64_t weight_ns)
{
	struct watched *watched = tally->visits.watched;

	watched->blocked =
		samples_put(tally, &watched->room, id, where, weight_ns);
}

static void go_on_waiting(struct tally *tally, uint64_t weight_ns)
{
	struct wire_sample *last = tally->visits.watched->blocked;

	if (wire_sample_ns(last) < MERGED_NS &&
	    wire_sample_observations(last) < MERGED_OBSERVATIONS)
		last->weight += WIRE_WEIGHT_OBSERVATION + weight_ns;
	else
		put_blocked(tally, last->id, last->where, weight_ns);
}

/*
 * Updates owed_ns. Observations say that the thread was running, or ready to
 * run, for seen_ns. It has used used_ns of CPU time, so it has waited for a
 * processor in the rest. A single observation cannot distinguish the two,
 * because the thread that ran on the watch's own processor before seems to be
 * waiting.
 */
static void owe(struct watched *watched, uint64_t seen_ns, uint64_t used_ns)
{
	int64_t owed_ns =
		watched->owed_ns + (int64_t)seen_ns - (int64_t)used_ns;

	watched->owed_ns = MIN(owed_ns, MOST_OWED_NS);
	if (watched->owed_ns < LEAST_OWED_NS)
		watched->owed_ns = LEAST_OWED_NS;
}

/*
 * Records a sample for the time that the thread has waited for a processor, at
 * most the kernel's figure in /proc if that can be read. The figure includes
 * only waits that have ended.
 */
static void put_ready(struct tally *tally, uint64_t id)
{
	struct watched *watched = tally->visits.watched;
	uint64_t delay_ns, waited_ns;
	struct proc_text text;

	if (watched->owed_ns < LEAST_PUT_NS)
		return;
	waited_ns = (uint64_t)watched->owed_ns;
	if (!proc_run_delay_ns(&text, (int)tally->tid, &delay_ns)) {
		if (watched->ready_ns == UNKNOWN_NS)
			watched->ready_ns = delay_ns - MIN(delay_ns, waited_ns);
		waited_ns = MIN(waited_ns, delay_ns - watched->ready_ns);
	}
	if (waited_ns < LEAST_PUT_NS)
		return;
	watched->ready_ns += waited_ns;
	watched->owed_ns -= (int64_t)waited_ns;
	samples_put(tally, &watched->room, id,
		    wire_sample_blocked(WIRE_WAIT_PROCESSOR), waited_ns);
}

static void put_running(struct tally *tally, const struct observation *observed,
			uint64_t weight_ns)
{
	struct watched *watched = tally->visits.watched;

	watched->blocked = NULL;
	if (!ticks_has_timer(tally)) {
		samples_put(tally, &watched->room, observed->id, 0, weight_ns);
		unsampled_note_others(tally, weight_ns);
	} else if (observed->state == OBSERVED_READY) {
		put_ready(tally, observed->id);
	}
}

/*
 * Returns whether the thread is in the same wait as at the last observation, so
 * that its last sample can grow.
 */
static int is_where_it_was(const struct watched *watched,
			   const struct observation *observed,
			   uint64_t weight_ns)
{
	const struct wire_sample *last = watched->blocked;

	return last && last->id == observed->id &&
	       last->where == observed->where &&
	       observed->cpu_ns - watched->cpu_ns < weight_ns / RAN_PART;
}

/* ---- One thread ---- */

static void check_again(const struct visits *visits, struct tally *tally,
			uint64_t cpu_ns, uint64_t weight_ns)
{
	struct watched *watched = tally->visits.watched;
	struct observation observed;

	observe(tally, cpu_ns, visits->may_ask, &observed);
	owe(watched,
	    observed.state == OBSERVED_RUNS || observed.state == OBSERVED_READY
		    ? weight_ns
		    : 0,
	    observed.cpu_ns - watched->cpu_ns);
	if (observed.state == OBSERVED_GONE) {
		watched->strata.due = VISITS_NONE;
	} else if (observed.is_shared) {
		watched->blocked = NULL;
		samples_lose(WIRE_SAMPLE_NO_TALLY, 1);
	} else if (observed.state != OBSERVED_BLOCKED) {
		put_running(tally, &observed, weight_ns);
	} else if (is_where_it_was(watched, &observed, weight_ns)) {
		go_on_waiting(tally, weight_ns);
	} else {
		put_blocked(tally, observed.id, observed.where, weight_ns);
	}
	watched->cpu_ns = observed.cpu_ns;
}

static void visit(const struct visits *visits, struct tally *tally,
		  uint64_t past, uint64_t weight_ns)
{
	struct watched *watched = tally->visits.watched;
	const uint64_t cpu_ns = observed_cpu_ns(tally->tid);
	uint32_t group = tally->number, level = 0;

	if (watched->blocked && cpu_ns == watched->cpu_ns) {
		go_on_waiting(tally, weight_ns);
		level = strata_level(past - watched->since, visits->wait_level);
	} else {
		check_again(visits, tally, cpu_ns, weight_ns);
		watched->since = past;
	}
	if (watched->strata.due == VISITS_NONE)
		return;
	if (level)
		group = 0; /* all waiting threads are observed together */
	if (level < visits->level)
		level = visits->level;
	strata_change(&watched->strata, &visits->clock, past, group, level);
}

/*
 * Begins to observe a thread: `tally` now counts for it, and the first interval
 * of its time begins at since_ns.
 */
static void begin_visits(const struct visits *visits, struct tally *tally,
			 uint64_t since_ns)
{
	struct watched *watched = tally->visits.watched;

	if (!watched)
		watched = tally->visits.watched = take_memory();
	if (!watched) {
		samples_lose(WIRE_SAMPLE_NO_TIMER, 1);
		return;
	}
	watched->blocked = NULL;
	watched->cpu_ns = observed_cpu_ns(tally->tid);
	watched->owed_ns = 0;
	watched->ready_ns = UNKNOWN_NS;
	strata_begin(&watched->strata, &visits->clock, since_ns, tally->number,
		     visits->level);
}

/* ---- All threads ---- */

static struct tally *first_tally(void)
{
	return __atomic_load_n(&rt.recorder->tallies.first, __ATOMIC_ACQUIRE);
}

/*
 * New tallies are inserted at the head of the list, and none is ever removed,
 * so the list can be read without a lock.
 */
uint64_t visits_make(const struct visits *visits, uint64_t now_ns)
{
	const uint64_t past = strata_ticks_past(&visits->clock, now_ns);
	uint64_t next = VISITS_NONE, ticks;

	for (struct tally *tally = first_tally(); tally; tally = tally->next) {
		if (tally->visits.attached_ns)
			begin_visits(
				visits, tally,
				atomic_exchange(&tally->visits.attached_ns, 0));
		if (!tally->visits.watched)
			continue;
		ticks = strata_take(&tally->visits.watched->strata,
				    &visits->clock, past);
		if (ticks)
			visit(visits, tally, past,
			      ticks * visits->clock.period_ns);
		if (tally->visits.watched->strata.due < next)
			next = tally->visits.watched->strata.due;
	}
	return next;
}

uint64_t visits_threads(void)
{
	uint64_t count = 0;

	for (struct tally *tally = first_tally(); tally; tally = tally->next)
		count += tally->visits.watched &&
			 tally->visits.watched->strata.due != VISITS_NONE &&
			 observed_cpu_ns(tally->tid);
	return count;
}
