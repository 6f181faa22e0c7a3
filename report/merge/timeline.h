/* SPDX-License-Identifier: MIT */
/* The samples one by one, for views that have a time axis. */
#ifndef CLEW_MERGE_TIMELINE_H
#define CLEW_MERGE_TIMELINE_H

#include <stddef.h>
#include <stdint.h>

#include "report/recording/part_reader.h"

struct timeline_sample {
	uint64_t time_ns; /* CLOCK_REALTIME */
	uint64_t weight_ns;
	uint32_t node;   /* of the tree */
	uint32_t thread; /* index */
	uint32_t site;   /* of the catalog; 0: unknown */
	uint32_t looks;  /* that found the same */
};

struct timeline_thread {
	const struct part_copy *part;
	uint32_t pid, tid;
	char name[16]; /* safe to print */
};

/* Sorted, threads follow each other, each with its samples in order of time. */
struct timeline {
	struct timeline_sample *samples;
	size_t count, capacity;
	struct timeline_thread *threads;
	size_t thread_count, thread_capacity;
};

void timeline_fini(struct timeline *timeline);

/* Returns the thread's index. `name` is copied; the part must outlive the timeline. */
uint32_t timeline_add_thread(struct timeline *timeline,
			     const struct part_copy *part, uint32_t tid,
			     const char *name);

/* Recordings have samples in the order in which threads found room. */
void timeline_sort(struct timeline *timeline);

/* Leaves out all samples but those from one time to another. */
void timeline_cut(struct timeline *timeline, uint64_t from_ns, uint64_t to_ns);

void timeline_add(struct timeline *timeline,
		  const struct timeline_sample *sample);

#endif
