/* SPDX-License-Identifier: MIT */
/*
 * A process in other mounts, or with another root: which of our files it has at the
 * same path. A service with a /tmp of its own has nearly all of them, a container few.
 */
#ifndef CLEW_CLI_TARGET_OTHER_FILES_H
#define CLEW_CLI_TARGET_OTHER_FILES_H

#include <sys/types.h>

/* Whether it may have other files than we at all. */
int other_files_are_there(pid_t pid);

/* Whether a file or folder of ours, by its absolute path, is there the same. */
int other_files_have(pid_t pid, const char *path);

/* Where we find a file that it knows by that path. free() it. */
char *other_files_path(pid_t pid, const char *path);

/*
 * Where we find a file by the path that /proc/PID/maps says: from the root of all
 * its mounts on, and not from the one that chroot() has given it. free() it.
 */
char *other_files_mapped(pid_t pid, const char *path);

#endif
