/* SPDX-License-Identifier: MIT */
/*
 * Lets at most one clew at a time change a process.
 *
 * The lock consists of two record locks of fcntl(2). The kernel releases them
 * when the holder ends, and names the holder. No other user can hold either of
 * them:
 *
 * - /proc/PID/clear_refs: only root and the user of that process can open it.
 * Both open the same file, so they exclude each other.
 *
 * - attach-PID-START in a folder that only the controller's user can write.
 * START is the start time of the process, so a leftover file never concerns
 * another process. This lock also works where a second /proc is mounted.
 *
 * fcntl() drops a process's lock when that process closes any descriptor of the
 * file. Nothing else in clew may open these two files.
 */
#ifndef CLEW_CLI_ATTACH_ATTACH_LOCK_H
#define CLEW_CLI_ATTACH_ATTACH_LOCK_H

#include <sys/types.h>

enum attach_lock_for {
	ATTACH_LOCK_SESSION, /* To attach and detach. */
	ATTACH_LOCK_PROBES,  /* To change probes of a recorded process. */
};

/* The descriptors are -1 if not open. */
struct attach_lock {
	int process;
	int folder, file;
	char *name; /* Of the file. */
};

/*
 * Returns 0; or -EBUSY and *why, which names the holder. On failure there is
 * nothing to release.
 */
int attach_lock_take(struct attach_lock *lock, pid_t pid,
		     enum attach_lock_for purpose, char **why);
void attach_lock_release(struct attach_lock *lock);

/* Removes files that killed controllers left for processes that have exited. */
void attach_locks_remove_left(void);

#endif
