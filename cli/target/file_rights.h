/* SPDX-License-Identifier: MIT */
/*
 * The rights with which a process opens files: its effective user and groups, or those
 * that it has set for files (setfsuid), and its capabilities.
 */
#ifndef CLEW_CLI_TARGET_FILE_RIGHTS_H
#define CLEW_CLI_TARGET_FILE_RIGHTS_H

#include <stdint.h>
#include <sys/types.h>

struct file_rights {
	uid_t user;
	gid_t group;
	uint64_t capabilities; /* in the user namespace of clew; else none */
	gid_t *groups;         /* supplementary ones */
	size_t group_count;
};

/* Of a process that runs. file_rights_fini() it. 0 or -errno. */
int file_rights_read(struct file_rights *rights, pid_t pid);
void file_rights_fini(struct file_rights *rights);

/* The user of a process's, or -1. */
int64_t file_rights_user(pid_t pid);

/*
 * Whether one with these rights can use that file or directory, as access() has its
 * mode. Also true if clew may not take on these rights to find out.
 */
int file_rights_permit(const struct file_rights *rights, const char *path,
		       int mode);

#endif
