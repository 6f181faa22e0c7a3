/* SPDX-License-Identifier: MIT */
/*
 * Durations of calls, for recordings in which each call was timed
 * (--time=exact).
 *
 * Values here are nanoseconds as measured. The tree's measures contain
 * compensated times: each function's own time minus the cost of measuring, for
 * each ended call of the function and each call that it made. The part's header
 * has these costs. A negative result counts as 0.
 *
 * A call is counted when it begins and timed when it ends. Inclusive times are
 * sums of elapsed time. A recursive call is also contained in its callers'
 * times, and so is time that the thread spends on other stacks meanwhile.
 */
#ifndef CLEW_MODEL_CALL_TIMES_H
#define CLEW_MODEL_CALL_TIMES_H

#include <stddef.h>
#include <stdint.h>

#include "base/idmap.h"
#include "report/model/clock.h"
#include "report/recording/part_reader.h"

/* Times of one context. */
struct timing {
	/*
	 * number of calls that have ended; total_ns, min_ns and max_ns are only
	 * theirs
	 */
	uint64_t ended;
	uint64_t total_ns;
	uint64_t self_ns; /* includes parts of calls that have not ended */
	uint64_t min_ns, max_ns; /* shortest and longest duration of a call */
	uint64_t clamped; /* calls whose compensated own time was negative */
};

/* Histogram of one function's durations: see struct wire_histogram. */
struct timing_bins {
	uint64_t calls[WIRE_BINS];
	int has_room; /* 0 if its calls are counted in timings.others */
};

/* Histogram of the calls that one Java method made of one native method. */
struct timing_pair {
	uint32_t function, caller;
	struct timing_bins bins;
};

struct timings {
	struct timing_pair *pairs;
	size_t pair_count, pair_capacity;
	/* maps function << 32 | caller to 1 + the pair's index */
	struct idmap pairs_at;
	struct timing *nodes; /* the timing of each node of the tree */
	/*
	 * number of elements of `nodes`; later nodes of the tree have no times
	 */
	size_t node_count;
	/* histograms, by function of the catalog; later functions have none */
	struct timing_bins *functions;
	size_t function_count;
	struct timing_bins others; /* calls of functions without a histogram */
	/* clock of the first part with times, which gives the unit of bins */
	struct clock clock;
	/* number of calls that have ended, and of those that have not */
	uint64_t ended_calls, open_calls;
	/* number of calls that ended but found no room for their times */
	uint64_t untimed_calls;
	uint64_t clamped_calls;
	/* number of contexts whose cost of measuring exceeds their time */
	uint64_t overcompensated;
	uint64_t paused_ns; /* time that clew itself stopped the threads */
	/*
	 * Sums of the threads' lifetimes and of their CPU times, where
	 * recorded.
	 */
	uint64_t present_ns, cpu_ns;
	uint64_t cost_ns; /* cost of measuring a call; maximum of all parts */
};

void timings_fini(struct timings *timings);

/* Returns whether calls were timed one by one. */
static inline int timings_are_there(const struct timings *timings)
{
	return timings->node_count > 0;
}

/*
 * Returns whether calls were too short for their own time to be precise:
 * measuring took more than a fifth of it, or the function's median is only a
 * few times the cost of measuring. The mean says less, since an interrupted
 * call takes thousands of times as long. The error may then be as large as the
 * compensated time; the truth lies between 0 and `measured->self_ns`.
 */
int timing_is_too_fine(const struct timings *timings, uint32_t function,
		       const struct timing *measured, uint64_t compensated_ns);

/* Adds the times in `more`, which may be NULL. */
void timing_sum(struct timing *to, const struct timing *more);

/*
 * Prepares times for a tree that is derived from another and has `node_count`
 * nodes. Copies everything except times of nodes, which timings_move() copies
 * one by one.
 */
void timings_init(struct timings *to, const struct timings *from,
		  size_t node_count);
void timings_move(struct timings *to, uint32_t to_node,
		  const struct timings *from, uint32_t from_node);

/* Returns how long threads existed without running, as far as recorded. */
static inline uint64_t timings_off_cpu_ns(const struct timings *timings)
{
	return timings->present_ns > timings->cpu_ns
		       ? timings->present_ns - timings->cpu_ns
		       : 0;
}

/*
 * timings_of_node() returns NULL if no call of the node has ended.
 * timings_of_function() returns NULL for functions behind the last one with a
 * histogram.
 */
const struct timing *timings_of_node(const struct timings *timings,
				     uint32_t node);
const struct timing_bins *timings_of_function(const struct timings *timings,
					      uint32_t function);

/*
 * Returns the histogram of a native's calls by one Java method, or NULL if
 * there is none.
 */
const struct timing_bins *timings_of_pair(const struct timings *timings,
					  uint32_t function, uint32_t caller);

void timing_bins_sum(struct timing_bins *to, const struct timing_bins *more);

/*
 * Returns the duration that `thousandths` of the calls stayed below. The result
 * is a power of two in ticks, so the truth may be half of it, or more than it
 * for calls in the last bin. 0 without calls.
 */
uint64_t timings_quantile_ns(const struct timings *timings,
			     const struct timing_bins *bins,
			     uint64_t thousandths);

/* Returns the shortest duration that belongs to a bin, in nanoseconds. */
uint64_t timings_bin_ns(const struct timings *timings, unsigned int bin);

/* ---- For merge.c: adding one part to the tree ---- */

struct tree;
struct timing_item;

struct timing_work {
	const struct part_copy *part;
	struct clock clock;
	/* an array with an item for each node that has times in the part */
	struct timing_item *items;
	size_t count, capacity;
	struct idmap at; /* maps 1 + a node to 1 + its item */
};

/*
 * timing_add_bins() must be called for all histograms before timing_add() is
 * called for contexts. `caller` is a function of the catalog; it is used only
 * if the histogram has a caller.
 */
void timing_add_bins(struct timings *timings, uint32_t function,
		     uint32_t caller, const struct wire_histogram *histogram);
void timing_add(struct timing_work *work, struct tree *tree, uint32_t node,
		const struct wire_times *times);

/*
 * Adds the times of a complete part to the tree and frees the contents of
 * `work`.
 */
void timing_finish(struct timing_work *work, struct tree *tree);

#endif
