/* SPDX-License-Identifier: MIT */
/*
 * retrieving HOW SLICES [DEPTH]: events in several thousand calling contexts,
 * some frequent and most rare, at this depth of functions. An agent queries the
 * context of each event. A slice has twice as many events as the one before.
 * Each slice prints "EVENTS NEW NS": its events, the number of new contexts in
 * it, and the CPU time that an event took longer than an event without a query.
 *
 * Both kinds of events take turns in blocks of a few, drawn from the same
 * contexts, so that any disturbance slows both. The agent begins after the
 * program has run for a while, so that the figure does not contain the cost of
 * a context's first call in clew itself.
 *
 * 	ids the id first (clew.h), and the stack if the id is new libunwind the
 * 	stack of each, by unw_backtrace() libgcc by backtrace()
 */
#define UNW_LOCAL_ONLY
#include <execinfo.h>
#include <libunwind.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "agent/clew.h"

#define FIRST    256
#define BLOCK    64
#define BEFORE   (1 << 17)
#define CONTEXTS 1024
#define ROOM     64
#define ALONE    __attribute__((noinline))

static struct clew_nodes *nodes;
static unsigned long new_contexts;
static volatile unsigned long sink;
static void (*query)(void);

static void meet(uint64_t id)
{
	new_contexts++;
	clew_node_add(nodes, id, &nodes);
}

static ALONE void query_nothing(void)
{
	sink++;
}

static void query_ids(void)
{
	const uint64_t id = clew_id();
	struct clew_frame frames[ROOM];

	if (clew_node(nodes, id))
		return;
	sink += (unsigned long)clew_stack(id, frames, ROOM);
	meet(id);
}

/* Looks up a stack as an agent does that has stored data for it. */
static void look_up(void *const *pcs, int count)
{
	uint64_t hash = 0;

	for (int i = 0; i < count; i++)
		hash = (hash ^ (uintptr_t)pcs[i]) * 0x9e3779b97f4a7c15UL;
	if (!clew_node(nodes, hash))
		meet(hash);
}

static void query_libunwind(void)
{
	void *pcs[ROOM];

	look_up(pcs, unw_backtrace(pcs, ROOM));
}

static void query_libgcc(void)
{
	void *pcs[ROOM];

	look_up(pcs, backtrace(pcs, ROOM));
}

/* ---- Calls ---- */

static void dive(unsigned long way, int left);

#define WAY(n)                                                                 \
	static ALONE void way_##n(unsigned long way, int left)                 \
	{                                                                      \
		dive(way, left);                                               \
		sink += n;                                                     \
	}
WAY(0)
WAY(1)
WAY(2)
WAY(3)

static ALONE void dive(unsigned long way, int left)
{
	static void (*const ways[])(unsigned long, int) = { way_0, way_1, way_2,
							    way_3 };

	if (left > 0)
		ways[way >> 2 * (left - 1) & 3](way, left - 1);
	else
		query();
	sink++;
}

/*
 * Draws a context. The n-th context is drawn about 1/n as often as the first.
 */
static unsigned long draw(unsigned long *random)
{
	unsigned long bits = 0;

	*random = *random * 6364136223846793005UL + 1442695040888963407UL;
	while ((1UL << bits) < CONTEXTS)
		bits++;
	bits = (*random >> 60) % (bits + 1);
	return (1UL << bits) + (*random >> 33) % (1UL << bits);
}

static double now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static void (*chosen(const char *how))(void)
{
	return strcmp(how, "libunwind") == 0 ? query_libunwind
	       : strcmp(how, "libgcc") == 0  ? query_libgcc
					     : query_ids;
}

/* Returns the time of a block of events, each with a query by this method. */
static double block_ns(void (*how)(void), int depth)
{
	static unsigned long random = 1;
	const double start = now_ns();

	query = how;
	for (int i = 0; i < BLOCK; i++)
		dive(draw(&random), depth / 2);
	return now_ns() - start;
}

int main(int argc, char **argv)
{
	void (*const how)(void) = chosen(argc > 1 ? argv[1] : "ids");
	const int slices = argc > 2 ? atoi(argv[2]) : 8;
	const int depth = argc > 3 ? atoi(argv[3]) : 20;
	struct clew_checks checks;

	nodes = clew_nodes_new();
	for (int i = 0; i < BEFORE; i += BLOCK)
		block_ns(query_nothing, depth);
	for (int i = 0; i < slices; i++) {
		const unsigned long events = (unsigned long)FIRST << i;
		const unsigned long before = new_contexts;
		double more = 0;

		for (unsigned long j = 0; j < events; j += BLOCK)
			more += block_ns(how, depth) -
				block_ns(query_nothing, depth);
		printf("%lu %lu %.2f\n", events, new_contexts - before,
		       more / (double)events);
	}
	if (clew_confidence(&checks) == 0)
		printf("verified %lu, wrong at most %g\n", checks.verified,
		       checks.wrong_at_most);
	return 0;
}
