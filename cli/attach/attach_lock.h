/* SPDX-License-Identifier: MIT */
/*
 * At most one clew at a time changes a process.
 *
 * The lock is two record locks of fcntl(2), which end with the process that holds
 * them and which name it. No other user can hold either of them:
 *
 *	/proc/PID/clear_refs	can be opened by the user of that process and by
 *				root, and is the same file for both: root and that
 *				user exclude each other
 *	attach-PID-START	in a folder that only the controller's user can
 *				write; START is when the process began, so that a
 *				file that was left behind never concerns another
 *				process. It holds where the first does not: where a
 *				second /proc is mounted
 *
 * fcntl() drops a process's lock of a file when that process closes any descriptor
 * of the file: nothing else in clew may open these two.
 */
#ifndef CLEW_CLI_ATTACH_ATTACH_LOCK_H
#define CLEW_CLI_ATTACH_ATTACH_LOCK_H

#include <sys/types.h>

enum attach_lock_for {
	ATTACH_LOCK_SESSION, /* attach to it, detach from it */
	ATTACH_LOCK_PROBES,  /* change the probes of one that is recorded */
};

/* Descriptors; -1: none. */
struct attach_lock {
	int process;
	int folder, file;
	char *name; /* of the file */
};

/* 0; -EBUSY: *why names the holder, and there is nothing to release. */
int attach_lock_take(struct attach_lock *lock, pid_t pid,
		     enum attach_lock_for purpose, char **why);
void attach_lock_release(struct attach_lock *lock);

/* Remove files that killed clews have left, of processes that have ended. */
void attach_locks_remove_left(void);

#endif
