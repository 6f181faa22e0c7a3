/* SPDX-License-Identifier: MIT */
/* See call_times.h. */
#include "report/model/call_times.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "report/model/tree.h"

/*
 * The times of a function are not precise if the median duration of its calls
 * is below this many times the cost of measuring.
 */
#define SHORT_CALL 5

/* Times of one node in one part, in the part's ticks. */
struct timing_item {
	uint32_t node;
	struct wire_times raw;
	int64_t compensated; /* own time */
};

void timings_fini(struct timings *timings)
{
	free(timings->nodes);
	free(timings->functions);
	free(timings->pairs);
	idmap_fini(&timings->pairs_at);
	*timings = (struct timings){ 0 };
}

void timing_sum(struct timing *to, const struct timing *more)
{
	if (!more)
		return;
	if (more->ended && (!to->ended || more->min_ns < to->min_ns))
		to->min_ns = more->min_ns;
	if (more->max_ns > to->max_ns)
		to->max_ns = more->max_ns;
	to->ended += more->ended;
	to->total_ns += more->total_ns;
	to->self_ns += more->self_ns;
	to->clamped += more->clamped;
}

const struct timing *timings_of_node(const struct timings *timings,
				     uint32_t node)
{
	if (node >= timings->node_count || !timings->nodes[node].ended)
		return NULL;
	return &timings->nodes[node];
}

const struct timing_bins *timings_of_function(const struct timings *timings,
					      uint32_t function)
{
	return function < timings->function_count
		       ? &timings->functions[function]
		       : NULL;
}

static uint64_t key_of(uint32_t function, uint32_t caller)
{
	return (uint64_t)function << 32 | caller;
}

const struct timing_bins *timings_of_pair(const struct timings *timings,
					  uint32_t function, uint32_t caller)
{
	const uint64_t *at =
		idmap_find(&timings->pairs_at, key_of(function, caller));

	return at ? &timings->pairs[*at - 1].bins : NULL;
}

static struct timing_bins *pair_of(struct timings *timings, uint32_t function,
				   uint32_t caller)
{
	uint64_t *at = idmap_at(&timings->pairs_at, key_of(function, caller));

	if (!*at) {
		timings->pairs = memory_grow(
			timings->pairs, timings->pair_count,
			&timings->pair_capacity, sizeof(*timings->pairs));
		timings->pairs[timings->pair_count] = (struct timing_pair){
			.function = function,
			.caller = caller,
		};
		*at = ++timings->pair_count;
	}
	return &timings->pairs[*at - 1].bins;
}

void timing_bins_sum(struct timing_bins *to, const struct timing_bins *more)
{
	for (unsigned int i = 0; i < WIRE_BINS; i++)
		to->calls[i] += more->calls[i];
}

uint64_t timings_bin_ns(const struct timings *timings, unsigned int bin)
{
	return bin ? clock_ns(&timings->clock, UINT64_C(1) << bin) : 0;
}

uint64_t timings_quantile_ns(const struct timings *timings,
			     const struct timing_bins *bins,
			     uint64_t thousandths)
{
	uint64_t all = 0, below = 0;
	unsigned int bin = 0;

	for (unsigned int i = 0; i < WIRE_BINS; i++)
		all += bins->calls[i];
	while (bin < WIRE_BINS - 2 &&
	       (double)(below += bins->calls[bin]) * 1000 <
		       (double)all * (double)thousandths)
		bin++;
	return all ? timings_bin_ns(timings, bin + 1) : 0;
}

/* Returns the median duration; 0 if the function has no histogram. */
static uint64_t median_ns(const struct timings *timings, uint32_t function)
{
	const struct timing_bins *bins = timings_of_function(timings, function);

	return bins ? timings_quantile_ns(timings, bins, 500) : 0;
}

int timing_is_too_fine(const struct timings *timings, uint32_t function,
		       const struct timing *measured, uint64_t compensated_ns)
{
	uint64_t median = median_ns(timings, function);

	if (measured->ended == 0)
		return 0;
	return compensated_ns < measured->self_ns - measured->self_ns / 5 ||
	       (median > 0 && median < SHORT_CALL * timings->cost_ns);
}

/* Returns an array of at least `count` elements; new elements are zero. */
static void *extend(void *array, size_t *have, size_t count, size_t size)
{
	unsigned char *larger;

	if (count <= *have)
		return array;
	if (count < 2 * *have)
		count = 2 * *have;
	larger = memory_zeroed(count, size);
	if (array)
		memcpy(larger, array, *have * size);
	free(array);
	*have = count;
	return larger;
}

void timings_init(struct timings *to, const struct timings *from,
		  size_t node_count)
{
	*to = *from;
	to->nodes = NULL;
	to->node_count = 0;
	to->functions = NULL;
	to->pairs = NULL;
	to->pair_count = to->pair_capacity = 0;
	to->pairs_at = (struct idmap){ 0 };
	if (!timings_are_there(from))
		return;
	to->nodes = memory_zeroed(node_count, sizeof(*to->nodes));
	to->node_count = node_count;
	to->functions =
		memory_zeroed(from->function_count, sizeof(*to->functions));
	if (from->function_count > 0)
		memcpy(to->functions, from->functions,
		       from->function_count * sizeof(*to->functions));
	for (size_t i = 0; i < from->pair_count; i++)
		*pair_of(to, from->pairs[i].function, from->pairs[i].caller) =
			from->pairs[i].bins;
}

void timings_move(struct timings *to, uint32_t to_node,
		  const struct timings *from, uint32_t from_node)
{
	if (from_node < from->node_count)
		timing_sum(&to->nodes[to_node], &from->nodes[from_node]);
}

static struct timing_item *item_of(struct timing_work *work, uint32_t node)
{
	uint64_t *at = idmap_at(&work->at, (uint64_t)node + 1);

	if (!*at) {
		work->items =
			memory_grow(work->items, work->count, &work->capacity,
				    sizeof(*work->items));
		work->items[work->count] = (struct timing_item){ .node = node };
		*at = ++work->count;
	}
	return &work->items[*at - 1];
}

void timing_add_bins(struct timings *timings, uint32_t function,
		     uint32_t caller, const struct wire_histogram *histogram)
{
	struct timing_bins *bins = &timings->others, *pair;

	if (histogram->function) {
		timings->functions = extend(
			timings->functions, &timings->function_count,
			(size_t)function + 1, sizeof(*timings->functions));
		bins = &timings->functions[function];
		bins->has_room = 1;
	}
	for (unsigned int i = 0; i < WIRE_BINS; i++)
		bins->calls[i] += histogram->bins[i];
	if (!histogram->function || !histogram->caller)
		return;
	pair = pair_of(timings, function, caller);
	for (unsigned int i = 0; i < WIRE_BINS; i++)
		pair->calls[i] += histogram->bins[i];
}

/*
 * Adds a call that its histogram does not contain yet. Call timing_add_bins()
 * for all histograms before.
 */
static void add_latest(struct timings *timings, uint32_t function,
		       uint32_t caller, uint64_t latest)
{
	struct timing_bins *bins = &timings->others;
	const uint64_t *at =
		idmap_find(&timings->pairs_at, key_of(function, caller));

	if (at)
		timings->pairs[*at - 1].bins.calls[wire_bin(latest)]++;

	if (function < timings->function_count &&
	    timings->functions[function].has_room)
		bins = &timings->functions[function];
	bins->calls[wire_bin(latest)]++;
}

void timing_add(struct timing_work *work, struct tree *tree, uint32_t node,
		const struct wire_times *times)
{
	const struct wire_header *header = work->part->header;
	const uint32_t parent = tree->nodes[node].parent;
	struct timing_item *item;

	if (times->latest)
		add_latest(&tree->timings, tree->nodes[node].function,
			   tree->nodes[parent].function, times->latest);
	if (!times->ended && !times->self)
		return;
	item = item_of(work, node);
	wire_times_add(&item->raw, times);
	item->compensated +=
		(int64_t)(times->self - times->ended * header->cost_self_ticks);
	if (parent != TREE_ROOT)
		item_of(work, parent)->compensated -=
			(int64_t)(times->ended * header->cost_caller_ticks);
}

static void add_timing(struct timing *to, const struct wire_times *raw,
		       const struct clock *clock)
{
	timing_sum(to, &(struct timing){
			       .ended = raw->ended,
			       .total_ns = clock_ns(clock, raw->total),
			       .self_ns = clock_ns(clock, raw->self),
			       .min_ns = clock_ns(clock, raw->min),
			       .max_ns = clock_ns(clock, raw->max),
			       .clamped = raw->clamped,
		       });
}

static void finish_item(const struct timing_work *work,
			const struct timing_item *item, struct tree *tree)
{
	struct timings *timings = &tree->timings;

	add_timing(&timings->nodes[item->node], &item->raw, &work->clock);
	timings->ended_calls += item->raw.ended;
	timings->clamped_calls += item->raw.clamped;
	if (item->compensated > 0)
		tree_add(tree, item->node,
			 &(struct measure){
				 .ns = clock_ns(&work->clock,
						(uint64_t)item->compensated) });
	else
		timings->overcompensated += item->raw.ended != 0;
}

void timing_finish(struct timing_work *work, struct tree *tree)
{
	struct timings *timings = &tree->timings;

	const struct wire_header *header = work->part->header;
	uint64_t cost_ns =
		clock_ns(&work->clock, (uint64_t)header->cost_self_ticks +
					       header->cost_caller_ticks);

	if (cost_ns > timings->cost_ns)
		timings->cost_ns = cost_ns;
	if (!timings->clock.ticks)
		timings->clock = work->clock;
	timings->nodes = extend(timings->nodes, &timings->node_count,
				tree->count, sizeof(*timings->nodes));
	timings->untimed_calls += work->part->header->untimed_calls;
	for (size_t i = 0; i < work->count; i++)
		finish_item(work, &work->items[i], tree);
	free(work->items);
	idmap_fini(&work->at);
}
