/* SPDX-License-Identifier: MIT */
/*
 * A child process for each module that is indexed, or asked about its variables.
 *
 * Debug information is large and written by others. What reads it runs in a
 * child of its own, with limits on memory, CPU and time: a file that makes it
 * crash, loop or eat memory costs that child, and one error with a reason.
 * The result comes through a file descriptor, and is checked like any file.
 */
#ifndef CLEW_SYMBOLIZER_WORKER_H
#define CLEW_SYMBOLIZER_WORKER_H

#include <stdint.h>

struct worker_limits {
	uint32_t seconds; /* of CPU; three times that by the clock */
	uint64_t bytes;   /* of memory beyond what the caller has */
};

enum { WORKER_WHY_BYTES = 256 };

/* The work of a child, which writes to fd: 0 or -errno. */
typedef int (*worker_work)(const void *request, int fd);

/*
 * Runs it in a child. Its result, or -ECHILD if the child did not
 * end by itself or ran out of something: then `why` says what happened.
 */
int worker_run(const struct worker_limits *limits, worker_work work,
	       const void *request, int fd, char why[WORKER_WHY_BYTES]);

#endif
