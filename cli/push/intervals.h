/* SPDX-License-Identifier: MIT */
/*
 * Snapshots of a recording at regular intervals, and a push of what each
 * interval added.
 *
 * Two child processes do the work: `clew merge` writes a snapshot, and `clew
 * push --since=EARLIER` sends the difference to the snapshot before. Both only
 * read the recording. If one fails or takes long, the recorded processes and
 * the recording are not concerned. A snapshot is begun only when the work of
 * the interval before is done. That interval then lasts longer, and nothing is
 * missing.
 *
 * The newest snapshot is OUTPUT.1, the one before it OUTPUT.2, and so on.
 */
#ifndef CLEW_CLI_PUSH_INTERVALS_H
#define CLEW_CLI_PUSH_INTERVALS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "cli/push/push_counts.h"

enum { INTERVALS_KEEP_DEFAULT = 2, INTERVALS_KEEP_MAX = 1000 };

/* `clew push --empty-status=3` exits with this if there is nothing to push. */
enum { INTERVAL_EMPTY_STATUS = 3 };

struct interval_options {
	uint64_t every_ns; /* time between two snapshots; 0: no snapshots */
	unsigned int keep; /* number of snapshots that are kept, at least 2 */
	const char *url;   /* address to which profiles are pushed, or NULL */
	const char *const *words; /* options of `clew push` */
	size_t word_count;
};

enum interval_step { INTERVAL_WAITS, INTERVAL_MERGES, INTERVAL_PUSHES };

struct intervals {
	const struct interval_options *options;
	const char *command; /* name of the command in messages */
	/*
	 * folder of the recording; NULL if there is nothing to do: no
	 * recording, or neither snapshots nor pushes
	 */
	char *output;
	/* folders whose parts the snapshots contain */
	const char *const *folders;
	size_t folder_count;
	enum interval_step step;
	pid_t child;
	int child_fd;     /* readable when the child has exited; or -1 */
	uint64_t next_ns; /* CLOCK_MONOTONIC of the next interval */
	int has_snapshot; /* whether OUTPUT.1 belongs to this session */
	struct push_counts *counts; /* not NULL if `output` is not */
	struct push_counts own;     /* used if there is no memory to share */
};

/*
 * Begins the first interval, unless there is nothing to do (intervals.output).
 * `folders` must exist until intervals_end().
 */
void intervals_begin(struct intervals *intervals,
		     const struct interval_options *options,
		     const char *command, const char *output,
		     const char *const *folders, size_t folder_count);

/*
 * Begins or finishes the work of an interval, without waiting. Returns the
 * milliseconds until the next call is due, or -1 if no call is due before
 * child_fd is readable.
 */
int intervals_step(struct intervals *intervals);

/*
 * Waits for the work of the present interval. With a URL, then pushes what the
 * complete recording has more than the last snapshot, or all of it if there is
 * no snapshot. Sets the final counts. A signal that arrives meanwhile ends the
 * work, which then counts as failed: `signals` is readable while one is
 * pending.
 */
void intervals_end(struct intervals *intervals, int signals,
		   struct push_counts *counts);

#endif
