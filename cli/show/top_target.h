/* SPDX-License-Identifier: MIT */
/*
 * The process that `clew top` shows: one that is already recorded, or one that
 * another clew attaches to or starts, with a temporary recording.
 */
#ifndef CLEW_CLI_SHOW_TOP_TARGET_H
#define CLEW_CLI_SHOW_TOP_TARGET_H

#include <sys/types.h>

struct top_target {
	pid_t pid;
	char *command;   /* Printable. */
	char *recording; /* Directory of the recording. */
	char *part;      /* The part in which the process counts. */
	char *folder;    /* Temporary folder, removed at the end; or NULL. */
	pid_t recorder;  /* The clew that records for us, or 0. */
	int is_started;  /* The recorder started the program. */
};

/*
 * Opens a process, or starts a program if pid is 0. The program's output is
 * discarded. Returns 0, or -errno and *why.
 */
int top_target_open(struct top_target *target, pid_t pid, char **command,
		    char **why);

/*
 * Detaches from a process that was attached to. Ends a program that was
 * started: by SIGTERM, and by SIGKILL two seconds later.
 */
void top_target_close(struct top_target *target);

/* Returns whether the process still runs. */
int top_target_is_alive(const struct top_target *target);

#endif
