/* SPDX-License-Identifier: MIT */
/* See unsampled.h. */
#include "preload/time/unsampled.h"

#include "preload/hot/runtime.h"
#include "preload/hot/stamp_counter.h"
#include "preload/hot/thread.h"
#include "preload/record/recorder.h"
#include "preload/sys/sys.h"
#include "preload/time/observation.h"
#include "preload/time/samples.h"
#include "wire/id.h"

#define DISPERSE UINT64_C(0x9e3779b97f4a7c15) /* 2^64 / golden ratio */

#define LEAST_NS 10000 /* shorter times get no sample */

void unsampled_begin(struct tally *tally)
{
	tally->unsampled = (struct tally_unsampled){
		.start_ns = observed_cpu_ns(tally->tid),
	};
}

uint64_t unsampled_ns(const struct tally *tally)
{
	const uint64_t now_ns = observed_cpu_ns(tally->tid);
	const uint64_t sampled_ns =
		tally->unsampled.start_ns +
		__atomic_load_n(&tally->unsampled.sampled_ns, __ATOMIC_RELAXED);

	return now_ns > sampled_ns ? now_ns - sampled_ns : 0;
}

uint64_t unsampled_at_most(const struct tally *tally, uint64_t weight_ns)
{
	uint64_t rest_ns;

	if (runtime_is_filtered())
		return weight_ns;
	rest_ns = unsampled_ns(tally);
	return weight_ns < rest_ns ? weight_ns : rest_ns;
}

/* Returns true with a probability of part / all. */
static int draw(uint64_t part, uint64_t all)
{
	while (part >> 31) {
		part >>= 1;
		all >>= 1;
	}
	return stamp_counter() * DISPERSE >> 32 < (part << 32) / all;
}

void unsampled_note(struct tally *tally, uint64_t id, uint64_t where,
		    uint64_t weight_ns)
{
	struct tally_unsampled *unsampled = &tally->unsampled;
	const uint64_t sampled_ns = __atomic_add_fetch(
		&unsampled->sampled_ns, weight_ns, __ATOMIC_RELAXED);

	if (!weight_ns || !draw(weight_ns, sampled_ns))
		return;
	unsampled->id = id;
	unsampled->where = where;
	unsampled->has_sample = 1;
}

void unsampled_note_others(struct tally *tally, uint64_t weight_ns)
{
	__atomic_fetch_add(&tally->unsampled.sampled_ns, weight_ns,
			   __ATOMIC_RELAXED);
}

static void put_rest(struct tally *tally, struct sample_room *room)
{
	const struct tally_unsampled *unsampled = &tally->unsampled;
	const uint64_t rest_ns = unsampled_ns(tally);
	const int has_sample = unsampled->has_sample;

	if (rest_ns < LEAST_NS)
		return;
	samples_put(tally, room, has_sample ? unsampled->id : ID_ROOT,
		    has_sample ? unsampled->where
			       : wire_sample_blocked(WIRE_WAIT_UNSAMPLED),
		    rest_ns);
	__atomic_fetch_add(&tally->unsampled.sampled_ns, rest_ns,
			   __ATOMIC_RELAXED);
}

void unsampled_end_thread(void)
{
	uint64_t signals;

	if (!hot.tally || runtime_is_filtered())
		return;
	sys_block_signals(&signals);
	put_rest(hot.tally, &hot.tally->ticks.room);
	sys_restore_signals(&signals);
}

/*
 * The sample of another thread is written to a new chunk, because that thread's
 * handler may be writing to its present one.
 */
void unsampled_end_all(struct tallies *tallies)
{
	uint64_t signals;

	lock_acquire(&tallies->lock, &signals);
	for (struct tally *tally = tallies->first; tally; tally = tally->next) {
		struct sample_room room = { 0 };

		put_rest(tally,
			 tally == hot.tally ? &tally->ticks.room : &room);
	}
	lock_release(&tallies->lock, &signals);
}
