/* SPDX-License-Identifier: MIT */
/*
 * There may be millions of calls, so they are read twice: first to store their
 * durations, which determine those of the two calls, and then to find calls
 * with these durations.
 */
#include "report/trace/compared_calls.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* ---- Selecting the two calls ---- */

struct durations {
	uint64_t *items; /* durations of ended calls */
	size_t count, capacity;
	/* duration of the longest open call; 0 if there is none */
	uint64_t open_ns;
	int is_open_slowest;
	/* The call that caused the snapshot, unless has_cause is 0. */
	struct function_call cause;
	int has_cause;
};

/*
 * Returns whether the call was active at the end of the data, and its beginning
 * is known. Such a call is the last one of each snapshot of a slow call.
 */
static int is_open(const struct function_call *call)
{
	return call->end.ending == CALL_OPEN && call->end.call.begin_tsc != 0;
}

static void add_item(struct durations *all, uint64_t ns)
{
	all->items = memory_grow(all->items, all->count, &all->capacity,
				 sizeof(*all->items));
	all->items[all->count++] = ns;
}

static void add_duration(void *context, const struct function_call *call)
{
	struct durations *all = context;

	if (function_call_may_cause_snapshot(call) &&
	    (!all->has_cause || call->end.depth > all->cause.end.depth)) {
		all->cause = *call;
		all->has_cause = 1;
	}
	if (is_open(call) && call->duration.least_ns > all->open_ns)
		all->open_ns = call->duration.least_ns;
	if (call->duration.has_most)
		add_item(all, call->duration.most_ns);
}

/* Adds the open call if it is the slowest one. */
static void add_open(struct durations *all)
{
	for (size_t i = 0; i < all->count; i++)
		if (all->items[i] >= all->open_ns)
			return;
	if (!all->open_ns)
		return;
	add_item(all, all->open_ns);
	all->is_open_slowest = 1;
}

static int longest_first(const void *left, const void *right)
{
	const uint64_t a = *(const uint64_t *)left;
	const uint64_t b = *(const uint64_t *)right;

	return a > b ? -1 : a < b;
}

struct pair_search {
	struct compared_calls *compared;
	uint64_t ns[COMPARED_SIDES];
	int is_slow_open;
	int has_slow;
};

static int is_slowest(const struct pair_search *search,
		      const struct function_call *call)
{
	return search->is_slow_open ? is_open(call) : call->duration.has_most;
}

/*
 * Selects the call if it is one of the two to compare. The slow one is the
 * first call with the duration that was found for it, and the fast one the last
 * other call with the duration of the wanted rank.
 */
static void take_if_it(void *context, const struct function_call *call)
{
	struct pair_search *search = context;

	if (!search->has_slow && is_slowest(search, call) &&
	    function_call_ns(call) == search->ns[COMPARED_SLOW]) {
		search->compared->of[COMPARED_SLOW] = *call;
		search->has_slow = 1;
	} else if (!search->compared->is_alone && call->duration.has_most &&
		   call->duration.most_ns == search->ns[COMPARED_FAST]) {
		search->compared->of[COMPARED_FAST] = *call;
	}
}

static size_t place_of(size_t rank, size_t count)
{
	if (!rank)
		return count / 2;
	if (rank > count)
		return count - 1;
	return rank - 1 ? rank - 1 : 1;
}

/* Makes the call that caused the snapshot the slow one. */
static void put_cause_first(struct pair_search *search, struct durations *all)
{
	add_item(all, 0);
	memmove(all->items + 1, all->items,
		(all->count - 1) * sizeof(*all->items));
	all->items[0] = function_call_ns(&all->cause);
	search->compared->of[COMPARED_SLOW] = all->cause;
	search->compared->is_of_snapshot = 1;
	search->has_slow = 1;
}

int compared_calls_find(struct compared_calls *compared,
			const struct traces *traces,
			const struct trace_window *window,
			const uint8_t *chosen, size_t rank)
{
	struct pair_search search = { .compared = compared };
	struct durations all = { 0 };

	*compared = (struct compared_calls){ 0 };
	function_calls_each(traces, window, chosen, add_duration, &all);
	if (!all.has_cause)
		add_open(&all);
	if (!all.count && !all.has_cause) {
		free(all.items);
		return -ENOENT;
	}
	if (all.count)
		qsort(all.items, all.count, sizeof(*all.items), longest_first);
	if (all.has_cause)
		put_cause_first(&search, &all);
	search.ns[COMPARED_SLOW] = all.items[0];
	if (all.count > 1)
		search.ns[COMPARED_FAST] = all.items[place_of(rank, all.count)];
	search.is_slow_open = all.is_open_slowest;
	compared->all = all.count;
	compared->is_alone = all.count == 1;
	free(all.items);
	function_calls_each(traces, window, chosen, take_if_it, &search);
	return 0;
}

/* ---- Contents of the two calls ---- */

struct side_reading {
	struct compared_calls *compared;
	int side;
	uint32_t *nodes; /* nodes of the active calls, by depth */
	size_t capacity;
};

static void reach(struct compared_calls *compared, uint32_t node)
{
	while (compared->context_count <= node) {
		compared->contexts = memory_grow(
			compared->contexts, compared->context_count,
			&compared->capacity, sizeof(*compared->contexts));
		compared->contexts[compared->context_count++] =
			(struct compared_pair){ 0 };
	}
}

static void begin(struct side_reading *reading, const struct call_line *line)
{
	struct compared_calls *compared = reading->compared;
	uint32_t node;

	while (line->depth + 1 >= reading->capacity)
		reading->nodes = memory_grow(reading->nodes, reading->capacity,
					     &reading->capacity,
					     sizeof(*reading->nodes));
	reading->nodes[0] = TREE_ROOT;
	node = tree_child(&compared->tree, reading->nodes[line->depth],
			  line->function);
	reading->nodes[line->depth + 1] = node;
	reach(compared, node);
	compared->contexts[node].of[reading->side].calls++;
}

static void end(struct side_reading *reading, const struct call_line *line)
{
	struct compared_pair *contexts = reading->compared->contexts;
	const struct call_duration duration =
		call_duration(line->process, &line->event);
	const uint64_t ns =
		duration.has_most ? duration.most_ns : duration.least_ns;
	const uint32_t node = reading->nodes[line->depth + 1];

	contexts[node].of[reading->side].total_ns += ns;
	contexts[node].of[reading->side].least_ns += duration.least_ns;
	contexts[node].of[reading->side].self_ns += (int64_t)ns;
	contexts[reading->nodes[line->depth]].of[reading->side].self_ns -=
		(int64_t)ns;
}

static void take_line(void *context, const struct call_line *line)
{
	if (line->kind == LINE_OPEN || line->kind == LINE_LEAF)
		begin(context, line);
	if (line->kind == LINE_CLOSE || line->kind == LINE_LEAF)
		end(context, line);
}

/* Orders the tree by the change of each context's own time. */
static void sum_changes(struct compared_calls *compared)
{
	for (uint32_t i = 1; i < compared->tree.count; i++) {
		const struct compared_pair *pair = &compared->contexts[i];
		const int64_t change = pair->of[COMPARED_SLOW].self_ns -
				       pair->of[COMPARED_FAST].self_ns;

		tree_set_ns(&compared->tree, i,
			    (uint64_t)(change < 0 ? -change : change));
	}
	tree_sum(&compared->tree);
}

void compared_calls_read(struct compared_calls *compared,
			 const struct traces *traces, uint32_t levels)
{
	tree_init(&compared->tree);
	reach(compared, TREE_ROOT);
	for (int side = 0; side < COMPARED_SIDES; side++) {
		struct side_reading reading = { .compared = compared,
						.side = side };

		if (side == COMPARED_FAST && compared->is_alone)
			continue;
		function_call_lines(traces, &compared->of[side], levels,
				    take_line, &reading);
		free(reading.nodes);
	}
	sum_changes(compared);
}

void compared_calls_fini(struct compared_calls *compared)
{
	tree_fini(&compared->tree);
	free(compared->contexts);
}
