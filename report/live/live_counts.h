/* SPDX-License-Identifier: MIT */
/*
 * What a process that runs has counted, look by look.
 *
 * At each look its part is copied, as always (part_reader.h); what has come since
 * the look before is what counts. Which contexts there are is known from former
 * looks and need not be found out again: a look takes some 10 ns a context.
 */
#ifndef CLEW_LIVE_LIVE_COUNTS_H
#define CLEW_LIVE_LIVE_COUNTS_H

#include "base/idmap.h"
#include "report/merge/numbering.h"
#include "report/model/function_catalog.h"
#include "report/recording/part_reader.h"
#include "report/recording/part_threads.h"

/* Calls since the process began, and of the last interval; time of that. */
struct live_measure {
	uint64_t calls, new_calls;
	uint64_t self_ns, total_ns; /* by samples */
};

struct live_context {
	uint64_t id;
	uint32_t number;   /* of its function, as the process has it */
	uint32_t function; /* in the catalog */
	struct live_measure measure;
	uint64_t sum; /* of this look */
};

struct live_thread {
	uint32_t tally;
	struct live_measure measure;
	uint64_t sum;
};

struct live_counts {
	struct catalog catalog;
	struct part_copy known; /* the part that `numbering` points into */
	struct numbering numbering;
	uint64_t told_bytes; /* of what tells of functions, there */
	int is_begun;
	struct live_context *contexts;
	size_t context_count, context_capacity;
	struct idmap by_id; /* also of tail calls -> index + 1 */
	struct live_thread *tallies;
	size_t tally_count, tally_capacity;
	struct threads threads; /* and who they are */
	uint64_t latest_tsc;    /* of a sample that was seen */
	uint64_t looked_ns;     /* when, CLOCK_MONOTONIC */
	uint64_t interval_ns; /* between the last two looks; 0: there is one */
	uint64_t cost_ns;     /* of CPU time, the last look */
	struct live_measure total;
	uint64_t clew_ns; /* in the interval, in our own code */
	uint64_t lost, recorded_bytes;
	enum wire_time time;
	enum wire_state state;
};

/* Nothing is known yet. live_counts_fini() it. */
void live_counts_init(struct live_counts *counts);
void live_counts_fini(struct live_counts *counts);

/* Looks at the part at that path. 0, or -errno and *why. */
int live_counts_look(struct live_counts *counts, const char *path, char **why);

/* The context that calls it, or NULL: nobody that is known. */
const struct live_context *live_caller(const struct live_counts *counts,
				       const struct live_context *context);

#endif
