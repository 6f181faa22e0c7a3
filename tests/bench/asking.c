/* SPDX-License-Identifier: MIT */
/*
 * asking DEPTH: what it costs an agent to query its calling context, at this
 * depth of calls: "WHAT NS" in lines, the least of many loops each. The queries
 * use clew's id (agent/clew.h), and unwinders.
 *
 * Each function that asks begins with stores, so that the call of the query is
 * not among the instructions that a hook displaces. The return of a displaced
 * call would be mispredicted (disasm/relocate.c), which adds about 8 ns that
 * are no cost of the query. ask_at_once() shows that.
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

static void ask_nothing(void)
{
	begin();
}

static void ask_at_once(void)
{
	sink = clew_context().id;
}

static void ask_context(void)
{
	begin();
	sink = clew_context().id;
}

static void ask_id(void)
{
	begin();
	sink = clew_id();
}

static void ask_node(void)
{
	begin();
	sink = (uint64_t)clew_node(nodes, clew_id());
}

static void tell_mark(void)
{
	begin();
	clew_mark("asking", 1);
}

static void ask_stack(void)
{
	struct clew_frame found[ROOM];

	sink = (uint64_t)clew_stack(clew_context().id, found, ROOM);
}

static void ask_libgcc(void)
{
	void *found[ROOM];

	sink = (uint64_t)backtrace(found, ROOM);
}

static void ask_libunwind(void)
{
	void *found[ROOM];

	sink = (uint64_t)unw_backtrace(found, ROOM);
}

/* With the call of `ask`, which is counted as all calls are. */
static double least(void (*volatile ask)(void), int calls)
{
	double best = 1e18;

	for (int i = 0; i < LOOPS; i++) {
		double start = now_ns(), each;

		for (int j = 0; j < calls; j++)
			ask();
		each = (now_ns() - start) / calls;
		best = each < best ? each : best;
	}
	return best;
}

static __attribute__((noinline)) void measure(void)
{
	const double nothing = least(ask_nothing, 10000);

	clew_node_add(nodes, clew_context().id, &nodes);
	printf("clew_context() %.2f\n", least(ask_context, 10000) - nothing);
	printf("clew_context() at once %.2f\n",
	       least(ask_at_once, 10000) - nothing);
	printf("clew_id() %.2f\n", least(ask_id, 10000) - nothing);
	printf("... and clew_node() %.2f\n", least(ask_node, 10000) - nothing);
	printf("clew_mark() %.2f\n", least(tell_mark, 5000) - nothing);
	printf("clew_stack() %.0f\n", least(ask_stack, 100) - nothing);
	printf("backtrace() %.0f\n", least(ask_libgcc, 100) - nothing);
	printf("unw_backtrace() %.0f\n", least(ask_libunwind, 100) - nothing);
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
