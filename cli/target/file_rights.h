/* SPDX-License-Identifier: MIT */
/*
 * The rights with which a process opens files: its user and groups for files,
 * which are the effective ones unless setfsuid(2) has set others, and its
 * capabilities.
 */
#ifndef CLEW_CLI_TARGET_FILE_RIGHTS_H
#define CLEW_CLI_TARGET_FILE_RIGHTS_H

#include <stdint.h>
#include <sys/types.h>

struct file_rights {
	uid_t user;
	gid_t group;
	/*
	 * Effective capabilities; 0 if the process is in another user namespace
	 * than clew.
	 */
	uint64_t capabilities;
	gid_t *groups; /* Supplementary groups. */
	size_t group_count;
};

/*
 * Reads the rights of a running process. Returns 0, and the caller calls
 * file_rights_fini(), or -errno.
 */
int file_rights_read(struct file_rights *rights, pid_t pid);
void file_rights_fini(struct file_rights *rights);

/*
 * Returns the id of the user as which the process opens files, or -1 if it is
 * unknown.
 */
int64_t file_rights_user(pid_t pid);

/*
 * Returns whether a process with these rights can access a file or directory;
 * `mode` is that of access(2). clew tries this with the same rights in a forked
 * child. Returns 1 without trying if the rights include CAP_DAC_OVERRIDE, and
 * also if the result is unknown: clew is not root, or the child fails.
 */
int file_rights_permit(const struct file_rights *rights, const char *path,
		       int mode);

#endif
