/* SPDX-License-Identifier: MIT */
/*
 * Chooses the processes for a command by the options of the user: by pid,
 * program, pid file or control group, and, if requested, their descendants.
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

/*
 * Rows of a command's option table. `first` and `last` are the flags of the
 * first and the last row: HELP_FIRST or 0.
 */
/* clang-format off */
#define TARGET_CHOICE(first, last) \
	{ "exe", KEY_EXE, "NAME", first, \
	  "All processes of a program (its file name or path)", \
	  HELP_PROCESSES }, \
	{ "pidfile", KEY_PIDFILE, "FILE", 0, \
	  "The process whose PID is in a file", HELP_PROCESSES }, \
	{ "cgroup", KEY_CGROUP, "FOLDER", 0, \
	  "All processes of a cgroup and of the cgroups below it", \
	  HELP_PROCESSES }, \
	{ "children", KEY_CHILDREN, NULL, last, \
	  "Also all descendants of the chosen processes", HELP_PROCESSES }
/* clang-format on */

struct target_choice {
	struct target_choice_item {
		/* Key of the option; 0 for an argument, which is a pid. */
		int key;
		const char *text;
		pid_t pid;
	} * items;
	size_t count, capacity;
	int has_children;
};

/* The chosen processes, each once. Parents precede their children. */
struct chosen {
	struct chosen_process {
		pid_t pid, parent;
		/*
		 * The user has chosen this process itself, by its pid or by a
		 * pid file.
		 */
		int is_named;
	} * items;
	size_t count, capacity;
};

/*
 * Parses an option of TARGET_CHOICE, or an argument of the command, which must
 * be a pid. After the last argument, refuses a choice without processes.
 * Returns 0, or ARGP_ERR_UNKNOWN for the key of any other option.
 */
error_t target_choice_parse(struct target_choice *choice, int key,
			    const char *argument, struct argp_state *state);
void target_choice_fini(struct target_choice *choice);

/*
 * Returns whether processes that begin later may be chosen, too: by a program,
 * a cgroup or their parents.
 */
int target_choice_is_open(const struct target_choice *choice);

/*
 * Finds the chosen processes: those with a given pid or pid file, whether or
 * not they exist, and the others that exist now, without clew itself. The
 * caller frees chosen->items. Returns 0; or -errno and *why if a file or cgroup
 * cannot be read, or if a program or cgroup has no process.
 */
int target_choice_find(const struct target_choice *choice,
		       struct chosen *chosen, char **why);

#endif
