/* SPDX-License-Identifier: MIT */
/*
 * A child process for each module that is indexed, or asked about its variables, and for
 * the code and the stacks of each process that is attached to.
 *
 * Such files are large and written by others. What reads them runs in a
 * child of its own, with limits on memory, CPU and time, and confined
 * (symbolizer/confinement.h): a file that makes it
 * crash, loop or eat memory costs that child, and one error with a reason.
 * The result comes through a file descriptor, and is checked like any file.
 */
#ifndef CLEW_SYMBOLIZER_WORKER_H
#define CLEW_SYMBOLIZER_WORKER_H

#include <stdint.h>
#include <sys/types.h>

struct worker_limits {
	uint32_t
		seconds; /* of CPU; WORKER_CLOCK_FACTOR times that by the clock */
	uint64_t bytes;   /* of memory beyond what the caller has */
	int may_download; /* it is not confined: it connects, and keeps files */
	int is_silent; /* nothing is to be read that it says, or libc of it */
	/*
	 * It has no other descriptor, opens nothing, and cannot write to fd either.
	 * Signals that end or stop the caller do not concern it.
	 */
	int only_reads_fd;
	int has_no_alarm; /* the caller watches the clock, and kills it in time */
	/* Folders below which it may write, NULL at the end; NULL: nowhere. */
	const char *const *writable;
};

enum { WORKER_WHY_BYTES = 256, WORKER_CLOCK_FACTOR = 3 };

/* The work of a child, which writes to fd: 0 or -errno. */
typedef int (*worker_work)(const void *request, int fd);

/*
 * Runs it in a child, which keeps fd and no other descriptor but the first three. fd is
 * -1 where nothing is written. Its result, or -ECHILD if the child did not
 * end by itself or ran out of something: then `why` says what happened.
 */
int worker_run(const struct worker_limits *limits, worker_work work,
	       const void *request, int fd, char why[WORKER_WHY_BYTES]);

/* Forks that child and does not wait for it. Returns its pid or -errno. */
pid_t worker_start(const struct worker_limits *limits, worker_work work,
		   const void *request, int fd);

/* Waits until it ends, and reaps it. Returns what worker_run() does. */
int worker_wait(pid_t child, const struct worker_limits *limits,
		char why[WORKER_WHY_BYTES]);

#endif
