/* SPDX-License-Identifier: MIT */
/*
 * Histograms of the durations of calls. With exact times, each tally has a
 * histogram for each function of which a call has ended (wire/counts.h). Java's
 * native functions have one for each Java method that calls them. Functions
 * beyond HISTOGRAMS_MAX share one. The slow path finds the histogram once for
 * each context.
 */
#include "preload/hot/runtime.h"
#include "preload/hot/timing.h"
#include "preload/hot/upcalls.h"
#include "preload/record/numbers.h"
#include "preload/record/recorder.h"
#include "preload/sys/copy_bytes.h"

#define LEAST_PAGES 1 /* most threads call few functions */
#define MOST_PAGES  16

/* Maximum number of histograms in all tallies of a process: 130 MiB. */
#define HISTOGRAMS_MAX (1 << 18)

#define ROOM_LEAST     256

/* Allocates a chunk, twice as large as the one before, up to MOST_PAGES. */
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

/*
 * Returns a new histogram for a function and the Java method that calls it, or
 * NULL.
 */
static uint64_t *take(struct tally *tally, uint32_t function, uint32_t caller)
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
	histogram->caller = caller;
	atomic_store_explicit(&tally->histograms.chunk.head->used,
			      used + sizeof(*histogram), memory_order_release);
	return histogram->bins;
}

/*
 * Returns the histogram that functions share which have no histogram of their
 * own, or NULL.
 */
static uint64_t *others(struct tally *tally)
{
	if (!tally->histograms.others)
		tally->histograms.others = take(tally, 0, 0);
	return tally->histograms.others;
}

/*
 * Returns the slot of a function and its caller, or the free slot where it
 * belongs.
 */
static struct histogram_slot *slot_of(const struct tally_histograms *index,
				      uint32_t function, uint32_t caller)
{
	uint32_t i =
		(uint32_t)(id_key(function + caller) >> 12) & (index->room - 1);

	while (index->slots[i].function &&
	       (index->slots[i].function != function ||
		index->slots[i].caller != caller))
		i = (i + 1) & (index->room - 1);
	return &index->slots[i];
}

/* Enlarges the index when three quarters are in use. */
static int grow_index(struct tally_histograms *index)
{
	struct tally_histograms larger = *index;

	if (index->used < index->room / 4 * 3)
		return 0;
	larger.room = index->room ? index->room * 2 : ROOM_LEAST;
	larger.slots = sys_map_private(larger.room * sizeof(*larger.slots));
	if (sys_failed(larger.slots))
		return -ENOMEM;
	for (uint32_t i = 0; i < index->room; i++)
		if (index->slots[i].function)
			*slot_of(&larger, index->slots[i].function,
				 index->slots[i].caller) = index->slots[i];
	if (index->slots)
		sys_munmap(index->slots, index->room * sizeof(*index->slots));
	*index = larger;
	return 0;
}

static uint64_t *find(struct tally *tally, uint32_t function, uint32_t caller)
{
	struct tally_histograms *index = &tally->histograms;
	_Atomic uint32_t *count = &rt.recorder->tallies.histograms;
	struct histogram_slot *slot;

	if (!numbers_find(function) || grow_index(index))
		return others(tally);
	slot = slot_of(index, function, caller);
	if (slot->function)
		return slot->bins;
	if (atomic_fetch_add(count, 1) < HISTOGRAMS_MAX)
		slot->bins = take(tally, function, caller);
	if (!slot->bins) {
		atomic_fetch_sub(count, 1);
		return others(tally);
	}
	slot->function = function;
	slot->caller = caller;
	index->used++;
	return slot->bins;
}

/* Returns the Java method that calls the function of a context, or 0. */
static uint32_t java_caller(const struct tally *tally, uint64_t id,
			    uint32_t function)
{
	const uint64_t caller = id_pop(id, id_key(function));

	return numbers_java_method(tally_note(tally, caller).function);
}

uint64_t *hot_histogram(struct tally *tally, uint64_t id, uint32_t function)
{
	const uint32_t caller = java_caller(tally, id, function);
	uint64_t signals, *bins;

	if (runtime_is_filtered())
		return tally->histograms.others;
	sys_block_signals(&signals);
	bins = find(tally, function, caller);
	sys_restore_signals(&signals);
	return bins;
}
