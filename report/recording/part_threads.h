/* SPDX-License-Identifier: MIT */
/* The threads of a part, with their names. */
#ifndef CLEW_RECORDING_PART_THREADS_H
#define CLEW_RECORDING_PART_THREADS_H

#include <stddef.h>
#include <stdint.h>

#include "report/recording/part_reader.h"

struct thread {
	uint32_t tid;
	uint32_t tally;
	char name[16]; /* safe to print */
};

struct threads {
	struct thread *items;
	size_t count, capacity;
};

void threads_init(struct threads *threads, const struct part_copy *part);
void threads_fini(struct threads *threads);

/* Returns whether `wanted` is the thread's name or its id in decimal. */
int thread_is(const struct thread *thread, const char *wanted);

#endif
