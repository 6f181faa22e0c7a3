/* SPDX-License-Identifier: MIT */
/*
 * A small process that `clew attach` forks before it attaches. If its parent
 * ends in any way without detaching (SIGKILL, a crash, no memory), the guardian
 * detaches from the parent's processes and from their forked children.
 *
 * The guardian has its own process group, so signals to the parent's group or
 * from its terminal do not reach the guardian. It holds no lock and no
 * descriptors except the socket, stderr and /dev/null. It detaches from each
 * process in a child of its own with a time limit (unless fork() fails), so
 * that a hostile process can only harm this child.
 */
#ifndef CLEW_CLI_ATTACH_GUARDIAN_H
#define CLEW_CLI_ATTACH_GUARDIAN_H

#include <sys/types.h>

struct guardian {
	pid_t pid;
	int channel; /* -1 if there is no guardian. */
};

/*
 * Forks the guardian, which prints messages that begin with `command`. The
 * caller must have blocked the signals by which users end a command, because
 * the guardian inherits the mask. If no socket or process can be created, there
 * is no guardian and clew attaches without it.
 */
void guardian_start(struct guardian *guardian, const char *command);

/*
 * Reports a process to the guardian. Called before clew changes anything in the
 * process.
 */
void guardian_watch(const struct guardian *guardian, pid_t pid);

/*
 * Reports to the guardian that clew has detached from all processes, and waits
 * until the guardian exits.
 */
void guardian_end(struct guardian *guardian);

#endif
