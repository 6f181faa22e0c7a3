/* SPDX-License-Identifier: MIT */
/*
 * Replaces alloc/alloc_sites.c, so that clew-alloc works without clew:
 * unw_backtrace() unwinds the stack of each allocation. All other code, from
 * malloc() to the table of live blocks, is clew-alloc's own. With $UNWOUND=0
 * nothing is unwound, and allocations belong to a thousand sites in turn, which
 * shows the cost of counting alone.
 */
#define UNW_LOCAL_ONLY
#include <libunwind.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/clew.h"
#include "alloc/alloc_sites.h"

#define ROOM      64
#define SITES_MAX 65536
#define ANY_SITES 1024

struct unwound_site {
	int count;
	void *pcs[ROOM];
	_Atomic int64_t values[ALLOC_VALUES];
};

static struct clew_nodes *nodes;
static struct unwound_site others;
static struct unwound_site *sites;
static _Atomic uint32_t sites_used;
static _Atomic int64_t live_bytes, most_bytes;
static _Atomic uint32_t events;
static _Atomic uint64_t frames; /* of all stacks */
static int unwinds;
/*
 * Set while a stack is unwound. Mappings that libunwind or the nodes create
 * then belong to no site.
 */
static _Thread_local int is_unwinding
	__attribute__((tls_model("initial-exec")));

int alloc_sites_begin(int is_last)
{
	const char *wish = getenv("UNWOUND");

	if (!is_last)
		return 0;
	unwinds = !wish || strcmp(wish, "0") != 0;
	is_unwinding = 1;
	nodes = clew_nodes_new();
	sites = calloc(SITES_MAX, sizeof(*sites));
	is_unwinding = 0;
	return nodes && sites;
}

static struct unwound_site *meet(uint64_t hash, void *const *pcs, int count)
{
	const uint32_t number = atomic_fetch_add(&sites_used, 1);
	struct unwound_site *site;

	if (number >= SITES_MAX)
		return &others;
	site = &sites[number];
	site->count = count;
	memcpy(site->pcs, pcs, (size_t)count * sizeof(*pcs));
	site = clew_node_add(nodes, hash, site);
	return site ? site : &others;
}

uint64_t alloc_sites_here(void)
{
	struct unwound_site *site;
	uint64_t hash = 0;
	void *pcs[ROOM];
	int count;

	if (is_unwinding)
		return (uintptr_t)&others;
	if (!unwinds)
		return (uintptr_t)&sites[atomic_fetch_add(&events, 1) %
					 ANY_SITES];
	is_unwinding = 1;
	count = unw_backtrace(pcs, ROOM);
	for (int i = 0; i < count; i++)
		hash = (hash ^ (uintptr_t)pcs[i]) * 0x9e3779b97f4a7c15UL;
	frames += (uint64_t)count;
	site = clew_node(nodes, hash);
	if (!site)
		site = meet(hash, pcs, count);
	is_unwinding = 0;
	return (uintptr_t)site;
}

static int64_t add(uint64_t row, enum alloc_value value, int64_t more)
{
	struct unwound_site *site = (struct unwound_site *)row;

	return atomic_fetch_add_explicit(&site->values[value], more,
					 memory_order_relaxed) +
	       more;
}

static void raise_to(_Atomic int64_t *number, int64_t to)
{
	if (atomic_load_explicit(number, memory_order_relaxed) < to)
		atomic_store_explicit(number, to, memory_order_relaxed);
}

void alloc_sites_add(uint64_t row, size_t bytes)
{
	const int64_t more = (int64_t)bytes;

	add(row, ALLOC_ALLOCATIONS, 1);
	add(row, ALLOC_BYTES, more);
	add(row, ALLOC_LIVE, 1);
	raise_to(&((struct unwound_site *)row)->values[ALLOC_PEAK_BYTES],
		 add(row, ALLOC_LIVE_BYTES, more));
	raise_to(&most_bytes, atomic_fetch_add(&live_bytes, more) + more);
}

void alloc_sites_remove(uint64_t row, size_t bytes, uint64_t lived_ns)
{
	add(row, ALLOC_LIVE, -1);
	add(row, ALLOC_LIVE_BYTES, -(int64_t)bytes);
	add(row, lived_ns < 1000 ? ALLOC_FREED_1US : ALLOC_FREED_LATER, 1);
	atomic_fetch_sub(&live_bytes, (int64_t)bytes);
}

void alloc_sites_map(uint64_t row, int64_t mappings, int64_t bytes)
{
	add(row, ALLOC_MAPPINGS, mappings);
	add(row, ALLOC_MAPPED_BYTES, bytes);
}

void alloc_sites_miss(void)
{
	add((uintptr_t)&others, ALLOC_UNTRACKED, 1);
}

void alloc_sites_remove_older(uint64_t row)
{
}

void alloc_sites_begin_again(void)
{
	live_bytes = most_bytes = 0;
}

/* Writes "EVENTS FRAMES SITES" of this process to the file $UNWOUND_TELL. */
static __attribute__((destructor)) void tell(void)
{
	const char *path = getenv("UNWOUND_TELL");
	FILE *file = path ? fopen(path, "w") : NULL;
	uint64_t all = (uint64_t)others.values[ALLOC_ALLOCATIONS];

	for (uint32_t i = 0; file && i < SITES_MAX; i++)
		all += (uint64_t)sites[i].values[ALLOC_ALLOCATIONS];
	if (!file)
		return;
	fprintf(file, "%lu %lu %u\n", (unsigned long)all, (unsigned long)frames,
		(unsigned int)sites_used);
	fclose(file);
}
