/* SPDX-License-Identifier: MIT */
/*
 * Child processes that read untrusted data: one for each module that is indexed
 * or whose variables are read, and one for the code and stacks of each process
 * that clew attaches to.
 *
 * The files may be large and hostile. Each child has limits on memory, CPU time
 * and wall time, and is confined (symbolizer/indexer/confinement.h). A file that makes
 * a reader crash, loop or use too much memory costs only the child and causes
 * one error with a reason. The result is written to a file descriptor and
 * checked like any file.
 */
#ifndef CLEW_SYMBOLIZER_INDEXER_WORKER_H
#define CLEW_SYMBOLIZER_INDEXER_WORKER_H

#include <stdint.h>
#include <sys/types.h>

struct worker_limits {
	/*
	 * Limit of CPU time; the limit of wall time is WORKER_CLOCK_FACTOR
	 * times as long.
	 */
	uint32_t seconds;
	uint64_t bytes;   /* limit of memory beyond the caller's */
	int may_download; /* not confined: it connects and writes files */
	int is_silent;    /* its output, and that of libc, is discarded */
	/*
	 * The child has no other descriptor, opens no files, and cannot write
	 * to fd either. It blocks the signals that may end or stop the caller
	 * and its process group, such as SIGINT.
	 */
	int only_reads_fd;
	int has_no_alarm; /* the caller checks the time and kills it */
	/* Folders below which it may write, terminated by NULL; NULL: none. */
	const char *const *writable;
};

enum { WORKER_WHY_BYTES = 256, WORKER_CLOCK_FACTOR = 3 };

/* The work of a child, which may write to fd. Returns 0 or -errno. */
typedef int (*worker_work)(const void *request, int fd);

/*
 * Runs the work in a child, which has no descriptors except fd and the first
 * three. fd is -1 if nothing is written. Returns its result, or -ECHILD if the
 * child did not end by itself or exceeded a limit; then `why` has the reason.
 */
int worker_run(const struct worker_limits *limits, worker_work work,
	       const void *request, int fd, char why[WORKER_WHY_BYTES]);

/* Forks the child without waiting for it. Returns its pid or -errno. */
pid_t worker_start(const struct worker_limits *limits, worker_work work,
		   const void *request, int fd);

/* Waits for the child's end and reaps it. Returns what worker_run() does. */
int worker_wait(pid_t child, const struct worker_limits *limits,
		char why[WORKER_WHY_BYTES]);

#endif
