/* SPDX-License-Identifier: MIT */
/*
 * Finds processes that are being recorded, from their start or since clew
 * attached, without stopping or writing to them.
 */
#ifndef CLEW_CLI_TARGET_LIVE_PROCESS_H
#define CLEW_CLI_TARGET_LIVE_PROCESS_H

#include <stddef.h>
#include <sys/types.h>

struct live_process {
	pid_t pid;
	char *command;     /* Printable. */
	char *recording;   /* The recording's directory. */
	char *part;        /* The part in which the process counts. */
	int is_attached;   /* clew attached while the process was running. */
	pid_t attached_by; /* The controller that attached, */
	pid_t controller;  /* and the same if it is still running, or 0. */
};

/*
 * Returns 0; -ESRCH if the process does not exist; -ENOENT if it is not
 * recorded; -ESTALE if its part was removed; or another -errno. Errors set
 * *why. After 0, the caller calls live_process_fini().
 */
int live_process_init(struct live_process *process, pid_t pid, char **why);
void live_process_fini(struct live_process *process);

/* Returns its command line, printable. The caller frees it. */
char *live_process_command(pid_t pid);

/*
 * Returns all visible recorded processes, ordered by pid, and their number in
 * *count. The caller calls live_process_fini() for each and frees the array.
 */
struct live_process *live_processes(size_t *count);

#endif
