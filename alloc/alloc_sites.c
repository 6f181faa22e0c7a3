/* SPDX-License-Identifier: MIT */
/*
 * The id first: an allocation asks for the number of its context, and a table by that
 * number for the row where it counts. Only if the context is new is a row made. Stacks
 * are never retrieved: the recording knows what each id stands for.
 */
#include "alloc/alloc_sites.h"

#include <stdatomic.h>

#include "agent/clew.h"

#define SITES_MAX 65536

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
};

/* What the agent knows of a context. One for each id, never freed. */
struct alloc_site {
	_Atomic uint64_t row;
};

static struct clew_values *values;
static struct clew_nodes *nodes;
static struct alloc_site sites[SITES_MAX];
static struct alloc_site others; /* contexts beyond these, and no context */
static _Atomic uint32_t sites_used;
static _Atomic int64_t live_bytes, most_bytes; /* of the process */

/*
 * Its row. A forked child begins with none: several of its threads may make one each
 * for a context, and the rows count together.
 */
static uint64_t row_of(struct alloc_site *site, uint64_t id)
{
	uint64_t row = atomic_load_explicit(&site->row, memory_order_relaxed);

	if (clew_row_is_there(values, row))
		return row;
	row = clew_row_new(values, id);
	atomic_store_explicit(&site->row, row, memory_order_relaxed);
	return row;
}

static uint64_t row_of_none(void)
{
	return row_of(&others, 0);
}

/* NULL without room. */
static struct alloc_site *meet(uint64_t id)
{
	struct alloc_site *site;
	uint32_t number = atomic_load(&sites_used);

	if (number >= SITES_MAX ||
	    (number = atomic_fetch_add(&sites_used, 1)) >= SITES_MAX)
		return NULL;
	site = &sites[number];
	row_of(site, id);
	return clew_node_add(nodes, id, site);
}

uint64_t alloc_sites_here(void)
{
	const struct clew_here here = clew_context();
	struct alloc_site *site = clew_node(nodes, here.id);

	if (here.id == 0)
		return row_of_none();
	if (!site)
		site = meet(here.id);
	return site ? row_of(site, here.id) : row_of_none();
}

int alloc_sites_begin(int is_last)
{
	if (!nodes)
		nodes = clew_nodes_new();
	if (nodes && !values)
		values = clew_values_new(kinds, ALLOC_VALUES);
	if (!values && is_last) {
		clew_nodes_free(nodes);
		nodes = NULL;
	}
	return values != NULL;
}

void alloc_sites_add(uint64_t row, size_t bytes)
{
	int64_t now;

	clew_value_add(values, row, ALLOC_ALLOCATIONS, 1);
	clew_value_add(values, row, ALLOC_BYTES, (int64_t)bytes);
	clew_value_add(values, row, ALLOC_LIVE, 1);
	now = clew_value_add(values, row, ALLOC_LIVE_BYTES, (int64_t)bytes);
	clew_value_raise(values, row, ALLOC_PEAK_BYTES, now);
	now = atomic_fetch_add(&live_bytes, (int64_t)bytes) + (int64_t)bytes;
	if (now <= atomic_load_explicit(&most_bytes, memory_order_relaxed))
		return;
	atomic_store_explicit(&most_bytes, now, memory_order_relaxed);
	clew_value_raise(values, row_of_none(), ALLOC_PROCESS_PEAK, now);
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

void alloc_sites_remove(uint64_t row, size_t bytes, uint64_t lived_ns)
{
	clew_value_add(values, row, ALLOC_LIVE, -1);
	clew_value_add(values, row, ALLOC_LIVE_BYTES, -(int64_t)bytes);
	clew_value_add(values, row, by_age(lived_ns), 1);
	atomic_fetch_sub(&live_bytes, (int64_t)bytes);
}

void alloc_sites_map(uint64_t row, int64_t mappings, int64_t bytes)
{
	clew_value_add(values, row, ALLOC_MAPPINGS, mappings);
	clew_value_add(values, row, ALLOC_MAPPED_BYTES, bytes);
}

void alloc_sites_miss(void)
{
	clew_value_add(values, row_of_none(), ALLOC_UNTRACKED, 1);
}

void alloc_sites_after_fork(void)
{
	live_bytes = 0;
	most_bytes = 0;
}
