/* SPDX-License-Identifier: MIT */
/*
 * queries DEPTH: measures what a query of the calling context costs an agent at
 * this depth of calls. Prints lines "WHAT NS", each with the least of many
 * loops. The queries use clew's id (agent/clew.h) and unwinders.
 *
 * Each function with a query begins with stores, so that the call of the query
 * is not among the instructions that a hook displaces. The return of a
 * displaced call would be mispredicted (disasm/relocate.c), which adds about
 * 8 ns that are no cost of the query. query_at_once() shows that.
 */
#define UNW_LOCAL_ONLY
#include <execinfo.h>
#include <libunwind.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "agent/clew.h"

#define LOOPS 200
#define ROOM  128

static struct clew_nodes *nodes;
static volatile uint64_t sink;

static double now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static inline void begin(void)
{
	sink = 0;
	sink = 1;
}

static void query_nothing(void)
{
	begin();
}

static void query_at_once(void)
{
	sink = clew_context().id;
}

static void query_context(void)
{
	begin();
	sink = clew_context().id;
}

static void query_id(void)
{
	begin();
	sink = clew_id();
}

static void query_node(void)
{
	begin();
	sink = (uint64_t)clew_node(nodes, clew_id());
}

static void tell_mark(void)
{
	begin();
	clew_mark("query", 1);
}

static void query_stack(void)
{
	struct clew_frame found[ROOM];

	sink = (uint64_t)clew_stack(clew_context().id, found, ROOM);
}

static void query_libgcc(void)
{
	void *found[ROOM];

	sink = (uint64_t)backtrace(found, ROOM);
}

static void query_libunwind(void)
{
	void *found[ROOM];

	sink = (uint64_t)unw_backtrace(found, ROOM);
}

/*
 * Returns the least time of a query in ns, including the call of `query`, which
 * is counted as all calls are.
 */
static double least(void (*volatile query)(void), int calls)
{
	double best = 1e18;

	for (int i = 0; i < LOOPS; i++) {
		double start = now_ns(), each;

		for (int j = 0; j < calls; j++)
			query();
		each = (now_ns() - start) / calls;
		best = each < best ? each : best;
	}
	return best;
}

static __attribute__((noinline)) void measure(void)
{
	const double nothing = least(query_nothing, 10000);

	clew_node_add(nodes, clew_context().id, &nodes);
	printf("clew_context() %.2f\n", least(query_context, 10000) - nothing);
	printf("clew_context() at once %.2f\n",
	       least(query_at_once, 10000) - nothing);
	printf("clew_id() %.2f\n", least(query_id, 10000) - nothing);
	printf("... and clew_node() %.2f\n",
	       least(query_node, 10000) - nothing);
	printf("clew_mark() %.2f\n", least(tell_mark, 5000) - nothing);
	printf("clew_stack() %.0f\n", least(query_stack, 100) - nothing);
	printf("backtrace() %.0f\n", least(query_libgcc, 100) - nothing);
	printf("unw_backtrace() %.0f\n", least(query_libunwind, 100) - nothing);
}

static __attribute__((noinline)) int dive(int depth)
{
	volatile int result = 0;

	if (depth > 0)
		result = dive(depth - 1) + 1;
	else
		measure();
	return result;
}

int main(int argc, char **argv)
{
	void *found[ROOM];

	nodes = clew_nodes_new();
	backtrace(found, ROOM);
	dive(argc > 1 ? atoi(argv[1]) : 20);
	return 0;
}
