/* SPDX-License-Identifier: MIT */
/*
 * How long the calls of each function took, in bins: where time is taken, each
 * tally has a histogram for each function that it has seen the end of a call
 * of (wire/recording.h). The slow path finds it, once for each context.
 */
#include "preload/hot/runtime.h"
#include "preload/hot/timing.h"
#include "preload/hot/upcalls.h"
#include "preload/record/recorder.h"
#include "preload/sys/copy_bytes.h"

#define LEAST_PAGES 1 /* most threads call few functions */
#define MOST_PAGES  16

/* Functions, over all tallies of a process, that find room: 130 MiB. */
#define HISTOGRAMS_MAX (1 << 18)

#define ROOM_LEAST     512

/* A new chunk, larger than the one before. */
static int use_chunk(struct tally *tally, struct part *part)
{
	uint64_t bytes = tally->histograms.chunk.bytes * 2;
	int err;

	if (bytes < LEAST_PAGES * WIRE_PAGE_BYTES)
		bytes = LEAST_PAGES * WIRE_PAGE_BYTES;
	if (bytes > MOST_PAGES * WIRE_PAGE_BYTES)
		bytes = MOST_PAGES * WIRE_PAGE_BYTES;
	bytes -= sizeof(struct wire_chunk);
	err = part_alloc(part, WIRE_HISTOGRAMS, tally->number, bytes,
			 &tally->histograms.chunk);
	if (!err)
		tally->histograms.left =
			(uint32_t)(bytes / sizeof(struct wire_histogram));
	return err;
}

/* The next histogram, for a function. */
static uint64_t *take(struct tally *tally, uint32_t function)
{
	struct wire_histogram *histogram;
	uint64_t used;

	if (!tally->histograms.left && use_chunk(tally, &rt.recorder->part))
		return NULL;
	tally->histograms.left--;
	used = tally->histograms.chunk.head->used;
	histogram =
		(struct wire_histogram *)((unsigned char *)chunk_payload(
						  &tally->histograms.chunk) +
					  used);
	histogram->function = function;
	atomic_store_explicit(&tally->histograms.chunk.head->used,
			      used + sizeof(*histogram), memory_order_release);
	return histogram->bins;
}

/* What is left for functions that get none of their own. */
static uint64_t *others(struct tally *tally)
{
	if (!tally->histograms.others)
		tally->histograms.others = take(tally, 0);
	return tally->histograms.others;
}

/* Room in the index for a function's number. */
static int grow_index(struct tally *tally, uint32_t function)
{
	uint32_t room =
		tally->histograms.room ? tally->histograms.room : ROOM_LEAST;
	uint64_t **bins;

	while (room <= function)
		room *= 2;
	if (room == tally->histograms.room)
		return 0;
	bins = sys_map_private(room * sizeof(*bins));
	if (sys_failed(bins))
		return -ENOMEM;
	if (tally->histograms.bins) {
		copy_bytes(bins, tally->histograms.bins,
			   tally->histograms.room * sizeof(*bins));
		sys_munmap(tally->histograms.bins,
			   tally->histograms.room * sizeof(*bins));
	}
	tally->histograms.bins = bins;
	tally->histograms.room = room;
	return 0;
}

static uint64_t *find(struct tally *tally, uint32_t function)
{
	_Atomic uint32_t *count = &rt.recorder->tallies.histograms;

	if (function > rt.function_count || grow_index(tally, function))
		return others(tally);
	if (tally->histograms.bins[function])
		return tally->histograms.bins[function];
	if (atomic_fetch_add(count, 1) < HISTOGRAMS_MAX)
		tally->histograms.bins[function] = take(tally, function);
	if (tally->histograms.bins[function])
		return tally->histograms.bins[function];
	atomic_fetch_sub(count, 1);
	return others(tally);
}

uint64_t *hot_histogram(struct tally *tally, uint32_t function)
{
	uint64_t signals, *bins;

	if (runtime_is_filtered())
		return tally->histograms.others;
	sys_block_signals(&signals);
	bins = find(tally, function);
	sys_restore_signals(&signals);
	return bins;
}
