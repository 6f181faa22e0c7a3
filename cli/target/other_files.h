/* SPDX-License-Identifier: MIT */
/*
 * Files of a process in another mount namespace or with another root: finds
 * which of clew's files it has at the same path. A service with its own /tmp
 * has nearly all of them, a container few.
 */
#ifndef CLEW_CLI_TARGET_OTHER_FILES_H
#define CLEW_CLI_TARGET_OTHER_FILES_H

#include <sys/types.h>

/* Returns whether the process may have other files than clew. */
int other_files_are_there(pid_t pid);

/*
 * Returns whether an absolute path leads to the same file or folder in the
 * process.
 */
int other_files_have(pid_t pid, const char *path);

/*
 * Returns the path by which clew can open the process's file `path`. The caller
 * frees it.
 */
char *other_files_path(pid_t pid, const char *path);

/*
 * Does the same for a path from /proc/PID/maps, which starts at the root of the
 * mount namespace instead of the root that chroot() set. The caller frees it.
 */
char *other_files_mapped(pid_t pid, const char *path);

#endif
