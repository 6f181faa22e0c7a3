/* SPDX-License-Identifier: MIT */
/* See samples.h. */
#include "preload/time/samples.h"

#include "preload/hot/runtime.h"
#include "preload/hot/stamp_counter.h"
#include "preload/record/recorder.h"
#include "preload/sys/own_code.h"
#include "preload/sys/sys.h"

#define NS_PER_S UINT64_C(1000000000)
/* Size of the first chunk of a tally's samples. */
#define FIRST_BYTES WIRE_PAGE_BYTES
#define MOST_BYTES  (16 * WIRE_PAGE_BYTES)

/*
 * If two clocks are read one after the other without an interruption, the time
 * in between is at most this long.
 */
#define MOMENT_TICKS 20000
#define MOMENT_NS    5000
#define MOMENT_TRIES 4

/*
 * Reads the two clocks of a moment a few times, and returns the pair with the
 * shortest time in between.
 */
static struct wire_moment this_moment(void)
{
	struct wire_moment moment = { 0 };
	uint64_t least = UINT64_MAX;

	for (int i = 0; i < MOMENT_TRIES && least > MOMENT_TICKS; i++) {
		const uint64_t before = stamp_counter();
		const uint64_t ns = sys_clock_ns(CLOCK_MONOTONIC);
		const uint64_t ticks = stamp_counter() - before;

		if (ticks >= least)
			continue;
		least = ticks;
		moment = (struct wire_moment){ before + ticks / 2, ns };
	}
	return moment;
}

/*
 * Returns the value that CLOCK_REALTIME had at a moment. Reads both clocks a
 * few times and uses the pair with the shortest time in between.
 */
static uint64_t real_ns_at(const struct wire_moment *moment)
{
	uint64_t real_ns = 0, least = UINT64_MAX;

	for (int i = 0; i < MOMENT_TRIES && least > MOMENT_NS; i++) {
		const uint64_t before = sys_clock_ns(CLOCK_MONOTONIC);
		const uint64_t real = sys_clock_ns(CLOCK_REALTIME);
		const uint64_t taken = sys_clock_ns(CLOCK_MONOTONIC) - before;

		if (taken >= least)
			continue;
		least = taken;
		real_ns = moment->ns + (real - (before + taken / 2));
	}
	return real_ns;
}

void samples_describe(struct wire_header *header, enum wire_time time,
		      uint32_t rate_hz)
{
	header->time = time;
	header->first = header->latest = this_moment();
	header->first_real_ns = real_ns_at(&header->first);
	if (time == WIRE_TIME_NONE || time == WIRE_TIME_EXACT)
		return;
	header->rate_hz = rate_hz;
	header->period_ns = NS_PER_S / rate_hz;
}

void samples_note_moment(struct wire_header *header)
{
	if (!runtime_is_filtered() && header->first.ns)
		header->latest = this_moment();
}

int samples_in_vfork_child(void)
{
	return (uint32_t)sys_call_anyway(SYS_getpid, 0, 0, 0, 0, 0, 0) !=
	       rt.header->pid;
}

void samples_lose(enum wire_sample_loss cause, uint64_t count)
{
	atomic_fetch_add_explicit(&rt.header->sample_losses[cause], count,
				  memory_order_relaxed);
}

/*
 * Allocates the next chunk for samples. Chunks grow, because most threads have
 * few samples.
 */
static int use_chunk(const struct tally *tally, struct sample_room *room)
{
	const struct chunk full = room->chunk;
	uint64_t bytes = full.head ? 4 * full.bytes : FIRST_BYTES;
	int err;

	if (bytes > MOST_BYTES)
		bytes = MOST_BYTES;
	err = part_alloc(&rt.recorder->part, WIRE_SAMPLES, tally->number,
			 bytes - sizeof(struct wire_chunk), &room->chunk);
	if (err)
		return err;
	if (full.head)
		part_complete(&full);
	room->next = chunk_payload(&room->chunk);
	room->left =
		(uint32_t)((room->chunk.bytes - sizeof(struct wire_chunk)) /
			   sizeof(struct wire_sample));
	samples_note_moment(rt.header);
	return 0;
}

struct wire_sample *samples_put(struct tally *tally, struct sample_room *room,
				uint64_t id, uint64_t where, uint64_t weight_ns)
{
	struct wire_sample *sample;
	int err = room->left ? 0 : use_chunk(tally, room);

	if (err) {
		samples_lose(err == -ENOBUFS || err == -EXFULL
				     ? WIRE_SAMPLE_BYTES
				     : WIRE_SAMPLE_NO_SPACE,
			     1);
		return NULL;
	}
	sample = room->next++;
	room->left--;
	sample->id = id;
	sample->where = where;
	sample->weight = WIRE_WEIGHT_OBSERVATION | (weight_ns & WIRE_WEIGHT_NS);
	atomic_store_explicit(&sample->tsc, stamp_counter(),
			      memory_order_release);
	/*
	 * the end of the recording is moved, because exit handlers are recorded
	 */
	if (rt.header->end_ns)
		samples_note_moment(rt.header);
	if ((where & (WIRE_SAMPLE_CLEW | WIRE_SAMPLE_KERNEL)) ==
	    WIRE_SAMPLE_CLEW) {
		atomic_fetch_add(&rt.header->own_sampled_ns, weight_ns);
		if (!own_code_is_library(where & WIRE_SAMPLE_PC))
			atomic_fetch_add(&rt.stub_sampled_ns, weight_ns);
	}
	return sample;
}
