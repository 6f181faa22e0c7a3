/* SPDX-License-Identifier: MIT */
/*
 * A small process that `clew attach` forks before it attaches to anything. It waits. If
 * its parent ends in any way without having detached (SIGKILL, a crash, no memory), it
 * detaches the processes that the parent attached to, and those that they have forked
 * since.
 *
 * It has a session of its own, so that what is sent to the parent's process group or
 * terminal does not reach it; it holds no lock and no other descriptor than the
 * channel, stderr and /dev/null. It detaches each process in a child of its own, with a
 * limit of time: a hostile process costs that child.
 */
#ifndef CLEW_CLI_ATTACH_GUARDIAN_H
#define CLEW_CLI_ATTACH_GUARDIAN_H

#include <sys/types.h>

struct guardian {
	pid_t pid;
	int channel; /* -1: there is none */
};

/*
 * Signals that end the parent are to be blocked: the guardian does not end by them. If
 * it cannot be forked, clew attaches without one.
 */
void guardian_start(struct guardian *guardian, const char *command);

/* Before anything of that process is changed. */
void guardian_watch(const struct guardian *guardian, pid_t pid);

/* All that can be detached is. Waits until the guardian has ended. */
void guardian_end(struct guardian *guardian);

#endif
