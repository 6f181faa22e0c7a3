/* SPDX-License-Identifier: MIT */
/*
 * Processes that clew attaches to together. Each one counts in its own part of
 * one recording. If one of them cannot be recorded, the others still are.
 */
#ifndef CLEW_CLI_ATTACH_ATTACH_GROUP_H
#define CLEW_CLI_ATTACH_ATTACH_GROUP_H

#include <stddef.h>

#include "cli/attach/ahead.h"
#include "cli/attach/attaching.h"
#include "cli/attach/hook_selection.h"
#include "cli/common/output.h"
#include "cli/target/inner_folder.h"

struct attach_member {
	pid_t pid;
	int process; /* A pidfd: readable when the process has exited. */
	struct attaching attaching;
	/*
	 * The folder in which the process records, if it cannot use the
	 * recording's folder. Processes that it forks may record there too.
	 */
	int has_folder;
	struct inner_folder folder;
	int64_t added_kb; /* Private memory that attaching added. */
};

struct attach_group {
	const char *path;   /* The recording, as the user named it. */
	const char *config; /* The configuration to record with. */
	/*
	 * The configuration has directives that only the start of a recording
	 * can apply.
	 */
	int has_wishes;
	/* The recording; exists once the first member needs it. */
	struct output output;
	/* The user that the recording was given to; (uid_t)-1 if none. */
	uid_t owner;
	char *library;
	struct hook_selection selection;
	struct ahead ahead;
	struct attach_member *members;
	size_t count, capacity;
	/* The longest pause of all threads, and of one thread. */
	uint64_t all_ns, one_ns;
	/*
	 * Memory that attaching added to the members, and the part that remains
	 * after detaching.
	 */
	int64_t added_kb, kept_kb;
};

/* Returns 0, or -errno and *why. */
int attach_group_init(struct attach_group *group, const char *output,
		      const char *config, char **why);
void attach_group_fini(struct attach_group *group);

/*
 * Attaches to a process, which becomes a member. The process may be a forked
 * child of another member that is already recorded. Returns 0, or -errno and
 * *why.
 */
int attach_group_add(struct attach_group *group, pid_t pid, char **why);

/*
 * Detaches a member. Returns 0; -ESRCH if it has exited; -EIO if it has
 * executed another program; or another -errno. Each error may set *why.
 */
int attach_group_leave(struct attach_group *group, struct attach_member *member,
		       char **why);

/*
 * Copies recordings out of members' own folders into the recording, after all
 * members are detached. Prints a line for each failure; returns their number.
 */
size_t attach_group_bring(struct attach_group *group, const char *command);

/*
 * Returns the paths of the recordings of all members, and their number in
 * *count. The caller frees each path and the array.
 */
char **attach_group_folders(const struct attach_group *group, size_t *count);

/*
 * Also detaches recorded processes that members have forked. Returns their
 * number.
 */
size_t attach_group_leave_forked(struct attach_group *group);

/*
 * Returns a copy of the value of the last line of a configuration that has this
 * directive, or NULL. The caller frees it.
 */
char *attach_group_directive(const char *config, const char *word);

#endif
