/* SPDX-License-Identifier: MIT */
/*
 * The rights with which a process opens files: its effective user and groups,
 * or those set by setfsuid(2), and its capabilities.
 */
#ifndef CLEW_CLI_TARGET_FILE_RIGHTS_H
#define CLEW_CLI_TARGET_FILE_RIGHTS_H

#include <stdint.h>
#include <sys/types.h>

struct file_rights {
	uid_t user;
	gid_t group;
	/* 0 if the process is not in clew's user namespace. */
	uint64_t capabilities;
	gid_t *groups; /* Supplementary groups. */
	size_t group_count;
};

/*
 * Reads the rights of a running process. Returns 0 or -errno. The caller calls
 * file_rights_fini().
 */
int file_rights_read(struct file_rights *rights, pid_t pid);
void file_rights_fini(struct file_rights *rights);

/* Returns the user with which the process opens files, or -1. */
int64_t file_rights_user(pid_t pid);

/*
 * Returns whether a process with these rights can use a file or directory;
 * `mode` is that of access(2). Also returns true if clew may not assume these
 * rights to find out.
 */
int file_rights_permit(const struct file_rights *rights, const char *path,
		       int mode);

#endif
