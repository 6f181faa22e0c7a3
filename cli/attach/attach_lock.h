/* SPDX-License-Identifier: MIT */
/*
 * Lets at most one clew at a time attach to a process, and at most one change
 * its probes.
 *
 * The lock consists of two record locks of fcntl(2). The kernel releases them
 * when the holder ends, and reports the holder's pid. Users who may not attach
 * to the process cannot hold any of them:
 *
 * - /proc/PID/clear_refs: only root and the user of that process can open it.
 * Both open the same file, so their locks exclude each other.
 *
 * - attach-PID-START or, for probes, probes-PID-START, in a folder that only
 * the controller's user can write. START is the start time of the process, so a
 * file that was left over never concerns a later process with the same pid.
 * This lock also works for two processes that see different mounts of /proc.
 *
 * A process loses a lock of fcntl() when it closes any descriptor of the file.
 * Therefore no other module of clew may open these two files.
 */
#ifndef CLEW_CLI_ATTACH_ATTACH_LOCK_H
#define CLEW_CLI_ATTACH_ATTACH_LOCK_H

#include <sys/types.h>

enum attach_lock_for {
	ATTACH_LOCK_SESSION, /* To attach and detach. */
	ATTACH_LOCK_PROBES,  /* To change probes of a recorded process. */
};

/* A lock that is held. Descriptors are -1 if they are not open. */
struct attach_lock {
	int process;
	int folder, file;
	char *name; /* Name of the file in the folder. */
};

/*
 * Takes the lock. A file that cannot be opened or locked is skipped, so nothing
 * is locked if this happens with both. Returns 0, and the caller must call
 * attach_lock_release(); or -EBUSY and *why, which names the holder.
 */
int attach_lock_take(struct attach_lock *lock, pid_t pid,
		     enum attach_lock_for purpose, char **why);
void attach_lock_release(struct attach_lock *lock);

/*
 * Removes lock files in the user's folder whose processes have exited; killed
 * controllers leave such files.
 */
void attach_locks_remove_left(void);

#endif
