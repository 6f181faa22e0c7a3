/* SPDX-License-Identifier: MIT */
/*
 * How long calls took, where each was timed (--time=exact).
 *
 * What is here is as measured, in nanoseconds. In the tree's measures it is
 * compensated: of each function's own time as much is taken off as measuring
 * added to it, for each of its calls that ended and for each of those it made,
 * as the part's header says; what would be less than nothing is nothing.
 *
 * A call is counted when it begins and timed when it ends. Inclusive times of
 * calls are sums of elapsed time: of a recursive function each call is in its
 * callers', too, and time spent on other stacks meanwhile is in them.
 */
#ifndef CLEW_MODEL_CALL_TIMES_H
#define CLEW_MODEL_CALL_TIMES_H

#include <stddef.h>
#include <stdint.h>

#include "base/idmap.h"
#include "report/model/clock.h"
#include "report/recording/part_reader.h"

/* Of one context. */
struct timing {
	uint64_t ended; /* calls: those that the times below are of */
	uint64_t total_ns;
	uint64_t self_ns;        /* also of some that have not ended */
	uint64_t min_ns, max_ns; /* of one call */
	uint64_t clamped; /* calls whose own time was less than nothing */
};

/* Of one function's calls by what they took: see struct wire_histogram. */
struct timing_bins {
	uint64_t calls[WIRE_BINS];
	int has_room; /* or all are among the others */
};

/* The same, of those that one Java method made of a native. */
struct timing_pair {
	uint32_t function, caller;
	struct timing_bins bins;
};

struct timings {
	struct timing_pair *pairs;
	size_t pair_count, pair_capacity;
	struct idmap pairs_at; /* function << 32 | caller -> index + 1 */
	struct timing *nodes;  /* of the tree's node of that index */
	size_t node_count; /* those behind have none; 0: nothing was timed */
	struct timing_bins *functions; /* of the catalog's function */
	size_t function_count;
	struct timing_bins others; /* functions that found no room */
	struct clock clock;        /* of the first part: what bins mean */
	uint64_t ended_calls, open_calls; /* those counted, but not timed */
	uint64_t untimed_calls;           /* ended, and no room to say so */
	uint64_t clamped_calls;
	uint64_t overcompensated; /* contexts that measuring took longer for */
	uint64_t paused_ns;       /* of the threads' time, by clew itself */
	/* How long threads were there, and ran, as far as is known. */
	uint64_t present_ns, cpu_ns;
	uint64_t cost_ns; /* what measuring a call takes, in the dearest part */
};

void timings_fini(struct timings *timings);

/* Whether calls were timed one by one. */
static inline int timings_are_there(const struct timings *timings)
{
	return timings->node_count > 0;
}

/*
 * Whether an own time is of calls too short to be measured well: a fifth of it
 * or more was measuring, or most calls of the function took no longer than a
 * few times what measuring takes (its mean may be larger by far: a call that is
 * interrupted, or loses its processor, takes thousands of times as long). What
 * is left may be as wrong as it is large then; the truth lies between nothing
 * and what was measured, measured->self_ns.
 */
int timing_is_too_fine(const struct timings *timings, uint32_t function,
		       const struct timing *measured, uint64_t compensated_ns);

/* Adds what some more calls took; nothing, if `more` is NULL. */
void timing_sum(struct timing *to, const struct timing *more);

/*
 * For a tree of `node_count` nodes that was made from another: all that is not
 * of single nodes is copied; timings_move() puts in those of the nodes.
 */
void timings_init(struct timings *to, const struct timings *from,
		  size_t node_count);
void timings_move(struct timings *to, uint32_t to_node,
		  const struct timings *from, uint32_t from_node);

/* For how long threads were there and did not run; whose time is not known. */
static inline uint64_t timings_off_cpu_ns(const struct timings *timings)
{
	return timings->present_ns > timings->cpu_ns
		       ? timings->present_ns - timings->cpu_ns
		       : 0;
}

/* NULL where there is none. */
const struct timing *timings_of_node(const struct timings *timings,
				     uint32_t node);
const struct timing_bins *timings_of_function(const struct timings *timings,
					      uint32_t function);

/* NULL where there is none. */
const struct timing_bins *timings_of_pair(const struct timings *timings,
					  uint32_t function, uint32_t caller);

/* Adds what some more calls took. */
void timing_bins_sum(struct timing_bins *to, const struct timing_bins *more);

/*
 * So many thousandths of the calls took less: a power of two in ticks, so that half of
 * that may be the truth. 0 if there is none.
 */
uint64_t timings_quantile_ns(const struct timings *timings,
			     const struct timing_bins *bins,
			     uint64_t thousandths);

/* The shortest call of a bin, in nanoseconds. */
uint64_t timings_bin_ns(const struct timings *timings, unsigned int bin);

/* ---- For merge.c: one part on its way into the tree ---- */

struct tree;
struct timing_item;

struct timing_work {
	const struct part_copy *part;
	struct clock clock;
	struct timing_item *items; /* one for each node */
	size_t count, capacity;
	struct idmap at; /* node + 1 -> item + 1 */
};

/*
 * First the calls of all functions by what they took, then of contexts. caller: that of
 * the catalog, if the histogram has one.
 */
void timing_add_bins(struct timings *timings, uint32_t function,
		     uint32_t caller, const struct wire_histogram *histogram);
void timing_add(struct timing_work *work, struct tree *tree, uint32_t node,
		const struct wire_times *times);

/* The part is complete: its times go into the tree. Frees what work has. */
void timing_finish(struct timing_work *work, struct tree *tree);

#endif
