/* SPDX-License-Identifier: MIT */
/*
 * The processes that `clew top` shows: those that are already recorded, and
 * those that another clew attaches to or starts, with a temporary recording.
 */
#ifndef CLEW_CLI_SHOW_TOP_TARGET_H
#define CLEW_CLI_SHOW_TOP_TARGET_H

#include <sys/types.h>

#include "cli/show/top_recorded.h"
#include "cli/target/target_choice.h"
#include "report/live/live_counts.h"

struct top_target {
	/* The process that was found first; `part` is its part. */
	pid_t pid;
	char *command;   /* Printable. */
	char *part;      /* The part in which this process counts. */
	char *recording; /* Directory of the recording with this part. */
	char *folder;    /* Temporary folder, removed at the end; or NULL. */
	pid_t recorder;  /* Pid of the clew that records, or 0. */
	/* Processes that are recorded already. */
	struct top_recorded recorded;
	const struct target_choice *choice; /* NULL for a command. */
	/* The recorder starts a program instead of attaching. */
	int is_started;
	/* How long to wait for the end of the recorder. */
	unsigned int patience_s;
};

/*
 * Opens processes. With `command`, starts that program, whose output is
 * discarded. Otherwise attaches to the chosen processes, and only reads the
 * recordings of those that are being recorded. `choice` must stay unchanged
 * until top_target_close(). Returns 0, or -errno and *why.
 */
int top_target_open(struct top_target *target,
		    const struct target_choice *choice, char **command,
		    char **why);

/*
 * Detaches from processes that were attached to. Ends a program that was
 * started: by SIGTERM, and by SIGKILL two seconds later. If the recorder has
 * not ended after 15 seconds, prints a message and leaves it and its
 * recording.
 */
void top_target_close(struct top_target *target);

/*
 * Adds parts that the counts do not have yet: those of recorded processes and
 * of chosen processes that these have forked meanwhile, and all parts of the
 * temporary recording that can be read.
 */
void top_target_add_parts(struct top_target *target,
			  struct live_counts *counts);

/* Returns whether the parts belong to more than one recording. */
int top_target_has_several_recordings(const struct top_target *target);

/*
 * Returns whether a process that was already recorded still runs, or the
 * recorder, which ends after the last process.
 */
int top_target_is_alive(struct top_target *target);

#endif
