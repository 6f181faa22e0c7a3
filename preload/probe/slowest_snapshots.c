/* SPDX-License-Identifier: MIT */
/*
 * See slowest_snapshots.h. A word has the duration of a call in its upper bits
 * and the number of its snapshot in the lower ones. A snapshot is written
 * before its word is stored, so that a word always means a complete folder. The
 * thread that exchanges a word owns the former one's folder and removes it.
 */
#include "preload/probe/slowest_snapshots.h"

#include "preload/answers/snapshots.h"
#include "wire/recording.h"

#define NUMBER_BITS 17
#define TICKS_MAX   (UINT64_MAX >> NUMBER_BITS)

_Static_assert(WIRE_SNAPSHOTS_MAX < 1 << NUMBER_BITS, "fits");

static uint64_t ticks_of(uint64_t word)
{
	return word >> NUMBER_BITS;
}

static uint32_t number_of(uint64_t word)
{
	return (uint32_t)(word & ((1U << NUMBER_BITS) - 1));
}

/* Returns the slot of the fastest call, or a free one. */
static _Atomic uint64_t *fastest(struct slowest_snapshots *slowest,
				 uint32_t limit, uint64_t *word)
{
	_Atomic uint64_t *found = &slowest->retained[0];

	*word = atomic_load(found);
	for (uint32_t i = 1; i < limit && *word; i++) {
		const uint64_t other = atomic_load(&slowest->retained[i]);

		if (other < *word) {
			*word = other;
			found = &slowest->retained[i];
		}
	}
	return found;
}

static int is_among_slowest(struct slowest_snapshots *slowest, uint32_t limit,
			    uint64_t ticks)
{
	uint64_t word;

	fastest(slowest, limit, &word);
	return ticks > ticks_of(word);
}

/*
 * Stores the word of a snapshot that exists. Returns the number of the snapshot
 * to remove, or 0. Each failed exchange means that another thread has stored a
 * slower call.
 */
static uint32_t retain(struct slowest_snapshots *slowest, uint32_t limit,
		       uint64_t word)
{
	for (;;) {
		uint64_t former;
		_Atomic uint64_t *slot = fastest(slowest, limit, &former);

		if (ticks_of(word) <= ticks_of(former))
			return number_of(word);
		if (atomic_compare_exchange_strong(slot, &former, word))
			return number_of(former);
	}
}

unsigned int slowest_snapshots_take(struct slowest_snapshots *slowest,
				    uint32_t limit, uint64_t ticks)
{
	uint32_t lost;
	int number;

	if (ticks > TICKS_MAX)
		ticks = TICKS_MAX;
	if (limit > PROBE_SLOWEST_MAX)
		limit = PROBE_SLOWEST_MAX;
	if (!is_among_slowest(slowest, limit, ticks) ||
	    atomic_load(&slowest->failures) >= limit)
		return 1;
	number = snapshot_take_whole(ticks);
	if (number < 0) {
		atomic_fetch_add(&slowest->failures, 1);
		return 1;
	}
	lost = retain(slowest, limit,
		      ticks << NUMBER_BITS | (unsigned int)number);
	if (!lost)
		return 0;
	snapshot_remove(lost);
	return 1;
}
