/* SPDX-License-Identifier: MIT */
/*
 * Which processes a command is for: by their ids, the program that they run, a file
 * with an id, or their cgroup, and what they have forked.
 */
#ifndef CLEW_CLI_TARGET_TARGET_CHOICE_H
#define CLEW_CLI_TARGET_TARGET_CHOICE_H

#include <argp.h>
#include <sys/types.h>

#include "cli/common/help.h"

enum {
	KEY_CHILDREN = 0x180,
	KEY_EXE,
	KEY_PIDFILE,
	KEY_CGROUP,
};

/* Rows; `first` is the flag of the first one: HELP_FIRST, or 0. */
/* clang-format off */
#define TARGET_CHOICE(first) \
	{ "exe", KEY_EXE, "NAME", first, \
	  "All processes of a program (its file name or path)", \
	  HELP_PROCESSES }, \
	{ "pidfile", KEY_PIDFILE, "FILE", 0, \
	  "The process whose PID is in a file", HELP_PROCESSES }, \
	{ "cgroup", KEY_CGROUP, "FOLDER", 0, \
	  "All processes of a cgroup and of the cgroups below it", \
	  HELP_PROCESSES }, \
	{ "children", KEY_CHILDREN, NULL, 0, \
	  "Also all descendants of the chosen processes", HELP_PROCESSES }
/* clang-format on */

struct target_choice {
	struct target_choice_item {
		int key; /* of the option; 0: an id */
		const char *text;
		pid_t pid;
	} * items;
	size_t count, capacity;
	int has_children;
};

/* Processes, each once: who has forked another stands before it. */
struct chosen {
	struct chosen_process {
		pid_t pid, parent;
		int is_named; /* by its id, or by a file */
	} * items;
	size_t count, capacity;
};

/* ARGP_ERR_UNKNOWN for a key of none of these. Of the words of a command, all are ids. */
error_t target_choice_parse(struct target_choice *choice, int key,
			    const char *argument, struct argp_state *state);
void target_choice_fini(struct target_choice *choice);

/*
 * Those there are now, without clew itself and those that have ended; free() the items.
 * 0; or -errno and *why: if a file or a cgroup cannot be read, or none is found.
 */
int target_choice_find(const struct target_choice *choice,
		       struct chosen *chosen, char **why);

#endif
