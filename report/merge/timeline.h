/* SPDX-License-Identifier: MIT */
/* Single samples, for views with a time axis. */
#ifndef CLEW_MERGE_TIMELINE_H
#define CLEW_MERGE_TIMELINE_H

#include <stddef.h>
#include <stdint.h>

#include "report/recording/part_reader.h"

struct timeline_sample {
	uint64_t time_ns; /* CLOCK_REALTIME */
	uint64_t weight_ns;
	uint32_t node;   /* number of the node in the tree */
	uint32_t thread; /* index of the thread */
	/* index of the site in the catalog; 0 if it is unknown */
	uint32_t site;
	uint32_t looks; /* number of polls that found the same state */
};

struct timeline_thread {
	const struct part_copy *part;
	uint32_t pid, tid;
	char name[16]; /* safe to print */
};

/* After timeline_sort(), samples are grouped by thread and sorted by time. */
struct timeline {
	struct timeline_sample *samples;
	size_t count, capacity;
	struct timeline_thread *threads;
	size_t thread_count, thread_capacity;
};

void timeline_fini(struct timeline *timeline);

/*
 * Adds a thread and returns its index. Copies `name`. The part must exist as
 * long as the timeline.
 */
uint32_t timeline_add_thread(struct timeline *timeline,
			     const struct part_copy *part, uint32_t tid,
			     const char *name);

/*
 * Sorts the samples, which are in the order in which the recording contains
 * them.
 */
void timeline_sort(struct timeline *timeline);

/* Removes all samples outside the given time range. */
void timeline_cut(struct timeline *timeline, uint64_t from_ns, uint64_t to_ns);

void timeline_add(struct timeline *timeline,
		  const struct timeline_sample *sample);

#endif
