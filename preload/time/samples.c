/* SPDX-License-Identifier: MIT */
#include "preload/time/samples.h"

#include "preload/hot/runtime.h"
#include "preload/hot/stamp_counter.h"
#include "preload/record/recorder.h"
#include "preload/sys/sys.h"

#define NS_PER_S    UINT64_C(1000000000)
#define FIRST_PAGES 1 /* of a tally's samples */
#define MOST_PAGES  16

static struct wire_moment this_moment(void)
{
	return (struct wire_moment){ .tsc = stamp_counter(),
				     .ns = sys_clock_ns(CLOCK_MONOTONIC) };
}

void samples_describe(struct wire_header *header, enum wire_time time,
		      uint32_t rate_hz)
{
	header->time = time;
	if (time == WIRE_TIME_NONE)
		return;
	header->first = header->latest = this_moment();
	if (time == WIRE_TIME_EXACT)
		return;
	header->rate_hz = rate_hz;
	header->period_ns = NS_PER_S / rate_hz;
}

void samples_note_moment(struct wire_header *header)
{
	if (header->time != WIRE_TIME_NONE && !runtime_is_filtered())
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

/* Larger each time: most threads leave few samples. */
static int use_chunk(const struct tally *tally, struct sample_room *room)
{
	uint32_t pages = room->pages ? 4 * room->pages : FIRST_PAGES;
	struct chunk chunk;
	int err;

	if (pages > MOST_PAGES)
		pages = MOST_PAGES;
	err = part_alloc(&rt.recorder->part, WIRE_SAMPLES, tally->number,
			 (uint64_t)pages * WIRE_PAGE_BYTES -
				 sizeof(struct wire_chunk),
			 &chunk);
	if (err)
		return err;
	room->pages = pages;
	room->next = chunk_payload(&chunk);
	room->left = (uint32_t)((chunk.bytes - sizeof(*chunk.head)) /
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
		samples_lose(err == -ENOBUFS ? WIRE_SAMPLE_BYTES
					     : WIRE_SAMPLE_NO_SPACE,
			     1);
		return NULL;
	}
	sample = room->next++;
	room->left--;
	sample->id = id;
	sample->where = where;
	sample->weight = WIRE_WEIGHT_LOOK | (weight_ns & WIRE_WEIGHT_NS);
	atomic_store_explicit(&sample->tsc, stamp_counter(),
			      memory_order_release);
	return sample;
}
