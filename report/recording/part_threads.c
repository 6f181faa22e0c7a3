/* SPDX-License-Identifier: MIT */
/* See part_threads.h. */
#include "report/recording/part_threads.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/display_text.h"
#include "base/memory.h"

static void add_thread(struct threads *threads, const struct wire_thread *wire)
{
	struct thread thread = { .tid = wire->tid, .tally = wire->tally };

	memcpy(thread.name, wire->name, sizeof(thread.name) - 1);
	text_printable(thread.name);
	threads->items =
		memory_grow(threads->items, threads->count, &threads->capacity,
			    sizeof(*threads->items));
	threads->items[threads->count++] = thread;
}

void threads_init(struct threads *threads, const struct part_copy *part)
{
	struct part_chunk chunk;
	uint64_t cursor = 0;

	*threads = (struct threads){ 0 };
	while (part_next_chunk(part, &cursor, &chunk)) {
		const struct wire_thread *items = (const void *)chunk.payload;

		if (chunk.kind != WIRE_THREADS)
			continue;
		for (size_t i = 0; i < chunk.payload_bytes / sizeof(*items);
		     i++) {
			if (items[i].tid != 0)
				add_thread(threads, &items[i]);
		}
	}
}

void threads_fini(struct threads *threads)
{
	free(threads->items);
	*threads = (struct threads){ 0 };
}

int thread_is(const struct thread *thread, const char *wanted)
{
	char tid[12];

	snprintf(tid, sizeof(tid), "%" PRIu32, thread->tid);
	return strcmp(tid, wanted) == 0 || strcmp(thread->name, wanted) == 0;
}
