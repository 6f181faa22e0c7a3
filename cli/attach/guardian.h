/* SPDX-License-Identifier: MIT */
/*
 * A small process that `clew attach` forks before it attaches. If its parent
 * ends in any way without detaching (SIGKILL, a crash, no memory), the guardian
 * detaches the parent's processes and those that they have forked since.
 *
 * The guardian has its own session, so signals to the parent's process group or
 * terminal do not reach it. The guardian holds no lock and no descriptors but
 * the socket, stderr and /dev/null. The guardian detaches each process in a
 * child with a time limit, so a hostile process costs only that child.
 */
#ifndef CLEW_CLI_ATTACH_GUARDIAN_H
#define CLEW_CLI_ATTACH_GUARDIAN_H

#include <sys/types.h>

struct guardian {
	pid_t pid;
	int channel; /* -1 if there is no guardian. */
};

/*
 * Forks the guardian. The caller blocks signals that end the parent, so that
 * they do not end the guardian. If fork() fails, clew attaches without a
 * guardian.
 */
void guardian_start(struct guardian *guardian, const char *command);

/* Reports a process to the guardian, before anything in it is changed. */
void guardian_watch(const struct guardian *guardian, pid_t pid);

/*
 * Reports that all processes are detached, and waits until the guardian exits.
 */
void guardian_end(struct guardian *guardian);

#endif
