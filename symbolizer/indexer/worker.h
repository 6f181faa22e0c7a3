/* SPDX-License-Identifier: MIT */
/*
 * Child processes that read untrusted data, such as one for each module that is
 * indexed or whose variables are read, and one for the code and stacks of each
 * process that clew attaches to.
 *
 * The files may be large and hostile. Each child has limits on memory, CPU time
 * and wall time, and is confined (symbolizer/indexer/confinement.h). A file
 * that makes a reader crash, loop or use too much memory costs only the child
 * and causes one error with a reason. The result is written to a file
 * descriptor and checked like any file.
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
	/* how much memory the child may use in addition to the caller's */
	uint64_t bytes;
	/*
	 * The child is not confined, because it connects to servers and writes
	 * files.
	 */
	int may_download;
	/* The child's stdout and stderr lead to /dev/null. */
	int is_silent;
	/*
	 * The child has no descriptor except fd, which it can read but not
	 * write, and cannot open files. The child blocks the signals that may
	 * end or stop the caller and its process group, such as SIGINT.
	 */
	int only_reads_fd;
	/*
	 * There is no limit of wall time: the caller kills the child if
	 * necessary.
	 */
	int has_no_alarm;
	/*
	 * Folders below which the child may write files, terminated by NULL;
	 * NULL: none.
	 */
	const char *const *writable;
};

enum { WORKER_WHY_BYTES = 256, WORKER_CLOCK_FACTOR = 3 };

/*
 * The function that a child runs, which may write a result to fd. Returns 0 or
 * -errno.
 */
typedef int (*worker_work)(const void *request, int fd);

/*
 * Calls work(request, fd) in a child, which has no descriptors except 0, 1, 2
 * and fd. fd is -1 if the work writes nothing. Returns the work's result;
 * -ECHILD and a reason in `why` if the child crashed or exceeded a limit; or
 * another -errno if there was no child. If another wait of the process has
 * reaped the child, the result is 0, so the caller must check what the child
 * has written.
 */
int worker_run(const struct worker_limits *limits, worker_work work,
	       const void *request, int fd, char why[WORKER_WHY_BYTES]);

/*
 * Like worker_run(), but does not wait for the child. Returns its pid or
 * -errno. The caller calls worker_wait().
 */
pid_t worker_start(const struct worker_limits *limits, worker_work work,
		   const void *request, int fd);

/*
 * Waits for the end of a child of worker_start(), and reaps it. Returns the
 * same as worker_run().
 */
int worker_wait(pid_t child, const struct worker_limits *limits,
		char why[WORKER_WHY_BYTES]);

#endif
