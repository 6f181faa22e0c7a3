/* SPDX-License-Identifier: MIT */
/*
 * Files of a process that is in another mount namespace or has another root
 * directory. Such a process may see other files than clew at the same paths: a
 * service with its own /tmp sees nearly the same files, a container only few of
 * them.
 */
#ifndef CLEW_CLI_TARGET_OTHER_FILES_H
#define CLEW_CLI_TARGET_OTHER_FILES_H

#include <sys/types.h>

/*
 * Returns whether the process is in another mount namespace or has another root
 * directory, so that it may see other files than clew.
 */
int other_files_are_there(pid_t pid);

/*
 * Returns whether an absolute path leads the process to the same file or folder
 * as clew.
 */
int other_files_have(pid_t pid, const char *path);

/*
 * Returns whether the process sees the path on a mount with this flag of
 * statvfs(), such as ST_NOEXEC.
 */
int other_files_are_mounted(pid_t pid, const char *path, unsigned long flag);

/*
 * Returns the path by which clew can open the file that the process sees at
 * `path`. The caller frees it.
 */
char *other_files_path(pid_t pid, const char *path);

/*
 * Like other_files_path(), for a path from /proc/PID/maps. Such a path begins
 * at the root of the mount namespace and not at the root directory that
 * chroot() has set. The caller frees the result.
 */
char *other_files_mapped(pid_t pid, const char *path);

#endif
