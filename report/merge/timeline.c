/* SPDX-License-Identifier: MIT */
/* See timeline.h. */
#include "report/merge/timeline.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"

void timeline_fini(struct timeline *timeline)
{
	free(timeline->samples);
	free(timeline->threads);
	*timeline = (struct timeline){ 0 };
}

uint32_t timeline_add_thread(struct timeline *timeline,
			     const struct part_copy *part, uint32_t tid,
			     const char *name)
{
	struct timeline_thread *thread;

	timeline->threads = memory_grow(
		timeline->threads, timeline->thread_count,
		&timeline->thread_capacity, sizeof(*timeline->threads));
	thread = &timeline->threads[timeline->thread_count];
	*thread = (struct timeline_thread){
		.part = part,
		.pid = part->header->pid,
		.tid = tid,
	};
	snprintf(thread->name, sizeof(thread->name), "%s", name);
	return (uint32_t)timeline->thread_count++;
}

static int by_thread(const void *left, const void *right)
{
	const struct timeline_sample *a = left, *b = right;

	if (a->thread != b->thread)
		return a->thread < b->thread ? -1 : 1;
	return a->time_ns < b->time_ns ? -1 : a->time_ns > b->time_ns;
}

void timeline_sort(struct timeline *timeline)
{
	if (timeline->count > 1)
		qsort(timeline->samples, timeline->count,
		      sizeof(*timeline->samples), by_thread);
}

void timeline_cut(struct timeline *timeline, uint64_t from_ns, uint64_t to_ns)
{
	size_t kept = 0;

	for (size_t i = 0; i < timeline->count; i++)
		if (timeline->samples[i].time_ns >= from_ns &&
		    timeline->samples[i].time_ns <= to_ns)
			timeline->samples[kept++] = timeline->samples[i];
	timeline->count = kept;
}

void timeline_add(struct timeline *timeline,
		  const struct timeline_sample *sample)
{
	timeline->samples =
		memory_grow(timeline->samples, timeline->count,
			    &timeline->capacity, sizeof(*timeline->samples));
	timeline->samples[timeline->count++] = *sample;
}
