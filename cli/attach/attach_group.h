/* SPDX-License-Identifier: MIT */
/*
 * Processes that are attached to together: each counts in a part of its own, in one
 * recording. One that cannot be recorded does not concern the others.
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
	int process; /* a descriptor that can be read when it has ended */
	struct attaching attaching;
	/* Where it records, and perhaps others, if it cannot where it is to. */
	int has_folder;
	struct inner_folder folder;
	int64_t added_kb; /* memory of its own, by attaching */
};

struct attach_group {
	const char *path;     /* the recording, as it was named, */
	const char *config;   /* what is to be in it, */
	int has_wishes;       /* of what is said only where one is begun, */
	struct output output; /* and where it is, once there is one */
	uid_t owner;          /* to whom it has been given; (uid_t)-1: nobody */
	char *library;
	struct hook_selection selection;
	struct ahead ahead;
	struct attach_member *members;
	size_t count, capacity;
	uint64_t all_ns, one_ns; /* the longest of their pauses */
	/* Memory of the members by attaching, and what of it they keep afterwards. */
	int64_t added_kb, kept_kb;
};

/* 0, or -errno and *why. */
int attach_group_init(struct attach_group *group, const char *output,
		      const char *config, char **why);
void attach_group_fini(struct attach_group *group);

/*
 * Attach to one more, which is a member then; also if another member has
 * forked it, and it is recorded already. 0, or -errno and *why.
 */
int attach_group_add(struct attach_group *group, pid_t pid, char **why);

/*
 * Leave one. 0; -ESRCH: it has ended; -EIO: it has executed another program; or
 * -errno and *why, which may be set in each case.
 */
int attach_group_leave(struct attach_group *group, struct attach_member *member,
		       char **why);

/*
 * What members record among files of their own is brought to the others', when all have
 * been left. How much could not be, of which a line is said.
 */
size_t attach_group_bring(struct attach_group *group, const char *command);

/* Paths of the recordings of all members, for free() each and all; *count of them. */
char **attach_group_folders(const struct attach_group *group, size_t *count);

/* Leave those that members have forked, and that are recorded, too. How many. */
size_t attach_group_leave_forked(struct attach_group *group);

/* The value of the last line of a configuration with that word, for free(); or NULL. */
char *attach_group_directive(const char *config, const char *word);

#endif
