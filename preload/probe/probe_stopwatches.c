/* SPDX-License-Identifier: MIT */
/* See probe_stopwatches.h. */
#include "preload/probe/probe_stopwatches.h"

#include <stdatomic.h>

#include "preload/hot/large_table.h"
#include "preload/hot/runtime.h"
#include "preload/time/samples.h"

#define PLACES_LOG2 12
#define NEIGHBOURS  16 /* number of slots in which a key may be */

/*
 * Fewer ticks than `ns` nanoseconds have if the counter has at least 500 MHz.
 */
#define TICKS_A_NS_LEAST(ns) ((ns) / 2)

/*
 * The table. A slot belongs to its key, and thus to one thread, until another
 * key replaces it.
 */
static struct stopwatch {
	_Atomic uint64_t key; /* 0: free */
	_Atomic uint64_t start;
} places[(1 << PLACES_LOG2) + NEIGHBOURS] LARGE_TABLE;

static uint64_t key_of(uint64_t name, uint64_t sp)
{
	const uint64_t key = (sp ^ name) * UINT64_C(0x9e3779b97f4a7c15);

	return key ? key : 1;
}

static struct stopwatch *home_of(uint64_t key)
{
	return &places[key >> (64 - PLACES_LOG2)];
}

static struct stopwatch *find(uint64_t key)
{
	struct stopwatch *home = home_of(key);

	for (int i = 0; i < NEIGHBOURS; i++)
		if (atomic_load_explicit(&home[i].key, memory_order_relaxed) ==
		    key)
			return &home[i];
	return 0;
}

static struct stopwatch *take_free(uint64_t key)
{
	struct stopwatch *home = home_of(key);

	for (int i = 0; i < NEIGHBOURS; i++) {
		uint64_t none = 0;

		if (!atomic_load_explicit(&home[i].key, memory_order_relaxed) &&
		    atomic_compare_exchange_strong(&home[i].key, &none, key))
			return &home[i];
	}
	return 0;
}

/*
 * Takes the slot with the oldest start among those for this key. The start of
 * the former key is lost.
 */
static struct stopwatch *take_oldest(uint64_t key)
{
	struct stopwatch *oldest = home_of(key);

	for (int i = 1; i < NEIGHBOURS; i++)
		if (atomic_load(&home_of(key)[i].start) <
		    atomic_load(&oldest->start))
			oldest = &home_of(key)[i];
	atomic_store(&oldest->key, key);
	return oldest;
}

void stopwatch_start(uint64_t name, uint64_t sp, uint64_t tsc)
{
	const uint64_t key = key_of(name, sp);
	struct stopwatch *place = find(key);

	if (!place)
		place = take_free(key);
	if (!place)
		place = take_oldest(key);
	atomic_store(&place->start, tsc);
}

uint64_t stopwatch_stop(uint64_t name, uint64_t sp)
{
	const uint64_t key = key_of(name, sp);
	struct stopwatch *place = find(key);
	uint64_t start, mine = key;

	if (!place)
		return 0;
	start = atomic_load(&place->start);
	return atomic_compare_exchange_strong(&place->key, &mine, 0) ? start
								     : 0;
}

int stopwatch_is_over(uint64_t ticks, uint64_t ns)
{
	const struct wire_moment *first = &rt.header->first;
	struct wire_moment latest;

	if (ticks < TICKS_A_NS_LEAST(ns))
		return 0;
	samples_note_moment(rt.header);
	latest = rt.header->latest;
	return (unsigned __int128)ticks * (latest.ns - first->ns) >=
	       (unsigned __int128)ns * (latest.tsc - first->tsc);
}
