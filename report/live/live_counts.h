/* SPDX-License-Identifier: MIT */
/*
 * Counts of a running process, updated by polling.
 *
 * Each poll copies the process's part (part_reader.h). The difference to the
 * previous poll is the result. Contexts that are known from earlier polls are
 * not decoded again: a poll takes about 10 ns for each context.
 */
#ifndef CLEW_LIVE_LIVE_COUNTS_H
#define CLEW_LIVE_LIVE_COUNTS_H

#include "base/idmap.h"
#include "report/merge/numbering.h"
#include "report/model/function_catalog.h"
#include "report/model/shown_names.h"
#include "report/recording/part_reader.h"
#include "report/recording/part_threads.h"

/* Calls since the process began, calls in the last interval, and time in it. */
struct live_measure {
	uint64_t calls, new_calls;
	uint64_t self_ns, total_ns; /* from samples */
};

struct live_context {
	uint64_t id;
	uint32_t number;   /* function number in the process */
	uint32_t function; /* in the catalog */
	struct live_measure measure;
	uint64_t sum; /* in this poll */
};

struct live_thread {
	uint32_t tally;
	struct live_measure measure;
	uint64_t sum;
};

struct live_counts {
	struct catalog catalog;
	struct shown_names names;
	struct part_copy known; /* the part to which `numbering` points */
	struct numbering numbering;
	uint64_t function_bytes; /* bytes in it that describe functions */
	int is_begun;
	struct live_context *contexts;
	size_t context_count, context_capacity;
	struct idmap by_id; /* also by id of tail calls -> index + 1 */
	struct live_thread *tallies;
	size_t tally_count, tally_capacity;
	struct threads threads; /* names of the threads */
	uint64_t latest_tsc;    /* of the latest sample */
	uint64_t looked_ns;     /* CLOCK_MONOTONIC of the last poll */
	uint64_t interval_ns; /* between the last two polls; 0: there was one */
	uint64_t cost_ns;     /* CPU time of the last poll */
	struct live_measure total;
	uint64_t clew_ns; /* in clew's own code, in the last interval */
	uint64_t lost, recorded_bytes;
	enum wire_time time;
	enum wire_state state;
};

/* Starts without data. Free with live_counts_fini(). */
void live_counts_init(struct live_counts *counts);
void live_counts_fini(struct live_counts *counts);

/* Polls the part at `path`. Returns 0, or -errno and *why. */
int live_counts_look(struct live_counts *counts, const char *path, char **why);

/* Returns the context's caller, or NULL if it is not known. */
const struct live_context *live_caller(const struct live_counts *counts,
				       const struct live_context *context);

#endif
