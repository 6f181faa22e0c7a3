/* SPDX-License-Identifier: MIT */
/* Detaching from a process that is not this command's own: another one was killed. */
#ifndef CLEW_CLI_ATTACH_DETACHING_H
#define CLEW_CLI_ATTACH_DETACHING_H

#include <sys/types.h>

/*
 * Detaches, and says so as `command` unless is_quiet. 0; -ENOENT: clew is not attached
 * to it; or -errno; *why says both.
 */
int detaching_leave(pid_t pid, const char *command, int is_quiet, char **why);

#endif
