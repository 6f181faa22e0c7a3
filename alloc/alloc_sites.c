/* SPDX-License-Identifier: MIT */
/* See alloc_sites.h. */
#include "alloc/alloc_sites.h"

#include <stdatomic.h>

#include "agent/value_sites.h"

static const struct clew_value kinds[ALLOC_VALUES] = {
	[ALLOC_ALLOCATIONS] = { "allocations", CLEW_NUMBER },
	[ALLOC_BYTES] = { "bytes", CLEW_BYTES },
	[ALLOC_LIVE] = { "live", CLEW_NUMBER },
	[ALLOC_LIVE_BYTES] = { "live_bytes", CLEW_BYTES },
	[ALLOC_PEAK_BYTES] = { "peak_bytes", CLEW_BYTES },
	[ALLOC_MAPPINGS] = { "mappings", CLEW_NUMBER },
	[ALLOC_MAPPED_BYTES] = { "mapped_bytes", CLEW_BYTES },
	[ALLOC_PROCESS_PEAK] = { "process_peak", CLEW_BYTES },
	[ALLOC_UNTRACKED] = { "untracked", CLEW_NUMBER },
	[ALLOC_FREED_1US] = { "freed<1us", CLEW_NUMBER },
	[ALLOC_FREED_10US] = { "freed<10us", CLEW_NUMBER },
	[ALLOC_FREED_100US] = { "freed<100us", CLEW_NUMBER },
	[ALLOC_FREED_1MS] = { "freed<1ms", CLEW_NUMBER },
	[ALLOC_FREED_10MS] = { "freed<10ms", CLEW_NUMBER },
	[ALLOC_FREED_100MS] = { "freed<100ms", CLEW_NUMBER },
	[ALLOC_FREED_1S] = { "freed<1s", CLEW_NUMBER },
	[ALLOC_FREED_LATER] = { "freed_later", CLEW_NUMBER },
	[ALLOC_FREED_BEFORE] = { "freed_before", CLEW_NUMBER },
};

static struct value_sites sites;
/* live bytes of the process, and their maximum */
static _Atomic int64_t live_bytes, most_bytes;

int alloc_sites_begin(int is_last)
{
	return value_sites_begin(&sites, kinds, ALLOC_VALUES, is_last);
}

uint64_t alloc_sites_here(void)
{
	return value_sites_here(&sites);
}

static void add(uint64_t row, enum alloc_value value, int64_t more)
{
	clew_value_add(sites.values, row, value, more);
}

void alloc_sites_add(uint64_t row, size_t bytes)
{
	int64_t now;

	add(row, ALLOC_ALLOCATIONS, 1);
	add(row, ALLOC_BYTES, (int64_t)bytes);
	add(row, ALLOC_LIVE, 1);
	now = clew_value_add(sites.values, row, ALLOC_LIVE_BYTES,
			     (int64_t)bytes);
	clew_value_raise(sites.values, row, ALLOC_PEAK_BYTES, now);
	now = atomic_fetch_add(&live_bytes, (int64_t)bytes) + (int64_t)bytes;
	if (now <= atomic_load_explicit(&most_bytes, memory_order_relaxed))
		return;
	atomic_store_explicit(&most_bytes, now, memory_order_relaxed);
	clew_value_raise(sites.values, value_sites_nowhere(&sites),
			 ALLOC_PROCESS_PEAK, now);
}

static enum alloc_value by_age(uint64_t ns)
{
	uint64_t limit_ns = 1000;
	int value = ALLOC_FREED_1US;

	while (value < ALLOC_FREED_LATER && ns >= limit_ns) {
		limit_ns *= 10;
		value++;
	}
	return (enum alloc_value)value;
}

static void end_block(uint64_t row, size_t bytes)
{
	add(row, ALLOC_LIVE, -1);
	add(row, ALLOC_LIVE_BYTES, -(int64_t)bytes);
	atomic_fetch_sub(&live_bytes, (int64_t)bytes);
}

void alloc_sites_remove(uint64_t row, size_t bytes, uint64_t lived_ns)
{
	end_block(row, bytes);
	add(row, by_age(lived_ns), 1);
}

void alloc_sites_remove_older(uint64_t row)
{
	add(row, ALLOC_FREED_BEFORE, 1);
}

void alloc_sites_map(uint64_t row, int64_t mappings, int64_t bytes)
{
	add(row, ALLOC_MAPPINGS, mappings);
	add(row, ALLOC_MAPPED_BYTES, bytes);
}

void alloc_sites_miss(void)
{
	add(value_sites_nowhere(&sites), ALLOC_UNTRACKED, 1);
}

void alloc_sites_lose(uint64_t row, size_t bytes)
{
	end_block(row, bytes);
	alloc_sites_miss();
}

void alloc_sites_begin_again(void)
{
	live_bytes = 0;
	most_bytes = 0;
}
