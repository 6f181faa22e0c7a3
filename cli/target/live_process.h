/* SPDX-License-Identifier: MIT */
/*
 * Finds processes that are being recorded, either from their start or since
 * clew has attached. Does not stop or change them.
 */
#ifndef CLEW_CLI_TARGET_LIVE_PROCESS_H
#define CLEW_CLI_TARGET_LIVE_PROCESS_H

#include <stddef.h>
#include <sys/types.h>

struct live_process {
	pid_t pid;
	char *command;   /* Command line, printable. */
	char *recording; /* Directory of the recording. */
	char *part;      /* Path of the part in which the process counts. */
	/* Clew has attached while the process was running. */
	int is_attached;
	pid_t attached_by; /* Pid of the controller that has attached. */
	/* Pid of this controller if it still exists, or 0. */
	pid_t controller;
};

/*
 * Reads how a process is recorded. Returns 0, and the caller calls
 * live_process_fini(); -ESRCH if the process does not exist; -ENOENT if it is
 * not recorded; -ESTALE if its part was removed; or another -errno. Errors set
 * *why.
 */
int live_process_init(struct live_process *process, pid_t pid, char **why);
void live_process_fini(struct live_process *process);

/*
 * Returns the first 4,095 bytes of the command line of a process, printable; ""
 * if it cannot be read. The caller frees it.
 */
char *live_process_command(pid_t pid);

/*
 * Returns all recorded processes that clew can see, ordered by pid, and their
 * number in *count. The caller calls live_process_fini() for each and frees the
 * array.
 */
struct live_process *live_processes(size_t *count);

#endif
