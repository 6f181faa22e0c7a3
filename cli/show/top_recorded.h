/* SPDX-License-Identifier: MIT */
/*
 * Processes that `clew top` shows and that are recorded already, by `clew
 * record` or another `clew attach`. clew only reads their parts.
 */
#ifndef CLEW_CLI_SHOW_TOP_RECORDED_H
#define CLEW_CLI_SHOW_TOP_RECORDED_H

#include "base/strings.h"
#include "cli/target/target_choice.h"

struct top_recorded {
	struct top_recorded_process {
		pid_t pid;
		/*
		 * Refers to the same process for ever, unlike the pid; -1 if
		 * it could not be opened.
		 */
		int pidfd;
		char *command; /* printable; NULL for processes found later */
	} * items;
	size_t count, capacity;
	struct strings parts;      /* paths of the parts */
	struct strings recordings; /* folders that contain the parts */
};

/*
 * Adds a process that is being recorded. Returns 0, or an error of
 * live_process_init() and *why.
 */
int top_recorded_add(struct top_recorded *recorded, pid_t pid, char **why);

/*
 * Adds the parts that the chosen processes have in these recordings meanwhile:
 * those of processes that were forked, and of programs that were executed.
 */
void top_recorded_update(struct top_recorded *recorded,
			 const struct target_choice *choice);

/* Returns whether a process still runs. */
int top_recorded_is_alive(const struct top_recorded *recorded);

void top_recorded_fini(struct top_recorded *recorded);

/*
 * Calls `found` for each part in a recording's folder with the pid in its name,
 * until it returns nonzero.
 */
void top_each_part(const char *folder,
		   int (*found)(void *context, const char *path, pid_t pid),
		   void *context);

/* Returns whether the part's process counts calls, or has counted some. */
int top_part_is_counting(const char *path);

/*
 * Returns a pidfd of a process, or -1. A pidfd refers to the same process for
 * ever; a pid may belong to another process later.
 */
int top_pidfd_of(pid_t pid);
void top_pidfd_close(int pidfd);

#endif
