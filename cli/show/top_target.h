/* SPDX-License-Identifier: MIT */
/*
 * What `clew top` looks at: a process that is being recorded already, or one
 * that is attached to, or started, for that, by another clew, into a temporary
 * recording.
 */
#ifndef CLEW_CLI_SHOW_TOP_TARGET_H
#define CLEW_CLI_SHOW_TOP_TARGET_H

#include <sys/types.h>

struct top_target {
	pid_t pid;
	char *command;   /* printable */
	char *recording; /* its directory */
	char *part;      /* the file that it counts in */
	char *folder;    /* of ours, which goes in the end; or NULL */
	pid_t recorder;  /* the clew that makes the recording for us; or 0 */
	int is_started;  /* by that, and not attached to */
};

/*
 * A process, or, if pid is 0, the program of that command line. 0, or -errno
 * and *why. What the program writes goes nowhere.
 */
int top_target_open(struct top_target *target, pid_t pid, char **command,
		    char **why);

/*
 * A process that was attached to is left, a program that was started is ended:
 * by SIGTERM, and by SIGKILL if it runs two seconds later.
 */
void top_target_close(struct top_target *target);

/* Whether it runs still. */
int top_target_is_alive(const struct top_target *target);

#endif
