/* SPDX-License-Identifier: MIT */
/*
 * The processes that one command attaches to. Each process counts in its own
 * part of one recording. If a process cannot be recorded, the others are
 * recorded nevertheless.
 */
#ifndef CLEW_CLI_ATTACH_ATTACH_GROUP_H
#define CLEW_CLI_ATTACH_ATTACH_GROUP_H

#include <stddef.h>

#include "cli/attach/attaching.h"
#include "cli/attach/early_analysis.h"
#include "cli/attach/hook_selection.h"
#include "cli/common/output.h"
#include "cli/target/inner_folder.h"

struct attach_member {
	pid_t pid;
	int process; /* A pidfd: readable when the process has exited. */
	int is_over; /* set by attach_group_let_go() */
	/* A member that was already recorded, as another one's forked child. */
	int is_forked;
	struct attaching attaching;
	/*
	 * The folder in which the process records, if it cannot use the
	 * recording's folder (has_folder). Children that the process forks may
	 * record there too.
	 */
	int has_folder;
	struct inner_folder folder;
	/*
	 * By how many kB the process's anonymous resident memory has grown
	 * while clew attached; 0 if it could not be read, negative if it has
	 * shrunk.
	 */
	int64_t added_kb;
};

struct attach_group {
	const char *path;   /* The recording, as the user named it. */
	const char *config; /* Text of the configuration to record with. */
	/*
	 * The configuration has directives that are only possible at the start
	 * of a recording, so it cannot be used for a process that is already
	 * recorded.
	 */
	int has_wishes;
	/* The recording's folder; created when the first member needs it. */
	struct output output;
	/* The user to whom the recording was given; (uid_t)-1: none. */
	uid_t owner;
	char *library;
	const char *agent; /* Path of an agent library (--agent), or NULL. */
	struct hook_selection selection;
	struct early_analysis early;
	struct attach_member *members;
	size_t count, capacity;
	/*
	 * The longest time in nanoseconds for which all threads of a process
	 * were stopped, and the longest for which only one thread was stopped.
	 */
	uint64_t all_ns, one_ns;
	/*
	 * In kB: the sum of the members' added_kb, and how much of it remains
	 * in the members from which clew has detached. A member whose memory
	 * has shrunk counts as 0 in kept_kb.
	 */
	int64_t added_kb, kept_kb;
};

/* Begins a group without members. Returns 0, or -errno and *why. */
int attach_group_init(struct attach_group *group, const char *output,
		      const char *config, char **why);
void attach_group_fini(struct attach_group *group);

/*
 * Attaches to a process, which becomes a member. Also succeeds for a forked
 * child of a member that is already recorded by this command. Returns 0, or
 * -errno and *why.
 */
int attach_group_add(struct attach_group *group, pid_t pid, char **why);

/*
 * If a member has exited or executed another program, closes what is open for
 * it, so that clew can attach to that program. The caller does not detach from
 * this member. Returns 0 if the member still runs; otherwise -ESRCH or -EIO, as
 * attach_group_detach().
 */
int attach_group_let_go(struct attach_group *group,
			struct attach_member *member);

/*
 * Detaches from a member. Returns 0; -ESRCH if the process has exited; -EIO if
 * it has executed another program; or another -errno. With each error, *why is
 * a message or NULL.
 */
int attach_group_detach(struct attach_group *group,
			struct attach_member *member, char **why);

/*
 * Copies the recordings from the members' own folders into the group's
 * recording. Called after clew has detached from all members. Prints a line for
 * each failure, beginning with `command`; returns the number of failures.
 */
size_t attach_group_bring(struct attach_group *group, const char *command);

/*
 * Returns the paths of all folders with recordings of members, the group's
 * recording first, and their number in *count. The caller frees each path and
 * the array.
 */
char **attach_group_folders(const struct attach_group *group, size_t *count);

/*
 * Detaches from recorded processes that members have forked. Returns the number
 * of processes from which it has detached.
 */
size_t attach_group_detach_forked(struct attach_group *group);

/*
 * Returns a copy of the value of the last line of a configuration that begins
 * with the directive `word`, or NULL. The caller frees it.
 */
char *attach_group_directive(const char *config, const char *word);

#endif
