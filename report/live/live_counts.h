/* SPDX-License-Identifier: MIT */
/*
 * Counts of running processes, updated by polling.
 *
 * Each poll copies the part of each process (part_reader.h). The difference to
 * the previous poll is the result. Contexts that are known from earlier polls
 * are not decoded again: a poll takes about 10 ns for each context.
 */
#ifndef CLEW_LIVE_LIVE_COUNTS_H
#define CLEW_LIVE_LIVE_COUNTS_H

#include "base/idmap.h"
#include "base/strings.h"
#include "report/merge/numbering.h"
#include "report/model/function_catalog.h"
#include "report/model/shown_names.h"
#include "report/recording/part_reader.h"
#include "report/recording/part_threads.h"

/* Calls since the process began, calls in the last interval, and time in it. */
struct live_measure {
	uint64_t calls, new_calls;
	uint64_t self_ns, total_ns; /* time estimated from samples */
};

struct live_context {
	uint64_t id;
	uint32_t number;   /* function number in the process */
	uint32_t function; /* index in the catalog */
	struct live_measure measure;
	uint64_t sum; /* sum in the present poll */
};

struct live_thread {
	uint32_t tally;
	struct live_measure measure;
	uint64_t sum;
};

/* A process image, from its part. */
struct live_part {
	const char *path;       /* one of live_counts.paths */
	struct part_copy known; /* the part to which `numbering` points */
	struct numbering numbering;
	uint64_t function_bytes; /* bytes in it that describe functions */
	int is_begun;
	/* whether the process has ended and was polled since then */
	int has_ended;
	struct live_context *contexts;
	size_t context_count, context_capacity;
	/*
	 * maps the id, and the id of its tail calls, to 1 + the context's index
	 */
	struct idmap by_id;
	struct live_thread *tallies;
	size_t tally_count, tally_capacity;
	struct threads threads; /* names of the threads */
	uint64_t latest_tsc;    /* time stamp of the latest sample */
	struct live_measure total;
	uint64_t clew_ns; /* time in clew's own code in the last interval */
	uint64_t lost, recorded_bytes;
	uint32_t pid;
	enum wire_time time;
	enum wire_state state;
};

/* All processes. Functions and modules are those of one catalog. */
struct live_counts {
	struct catalog catalog;
	struct shown_names names;
	struct strings paths;     /* paths of all parts */
	struct live_part **parts; /* the parts do not move in memory */
	size_t part_count, part_capacity;
	uint64_t looked_ns; /* CLOCK_MONOTONIC of the last poll */
	/* time between the last two polls; 0 if there was only one */
	uint64_t interval_ns;
	uint64_t cost_ns; /* CPU time of the last poll */
	/* Sums of all parts. */
	struct live_measure total;
	uint64_t clew_ns, lost, context_count;
	int has_time; /* whether time is sampled in any part */
};

/* Starts without data. Free with live_counts_fini(). */
void live_counts_init(struct live_counts *counts);
void live_counts_fini(struct live_counts *counts);

/* Returns whether the part of this path has been added. */
int live_counts_has(const struct live_counts *counts, const char *path);

/*
 * Adds a part that was not added before. The next poll reads its counts.
 */
void live_counts_add(struct live_counts *counts, const char *path);

/*
 * Polls all parts. Returns 0, or -errno and *why if none can be read. A part
 * that cannot be read keeps its counts.
 */
int live_counts_look(struct live_counts *counts, char **why);

/*
 * Returns the context's caller; NULL if the context is outermost or its caller
 * is not known.
 */
const struct live_context *live_caller(const struct live_part *part,
				       const struct live_context *context);

#endif
