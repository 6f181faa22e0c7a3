/* SPDX-License-Identifier: MIT */
/*
 * Detaches from a process after the command that had attached to it was killed.
 */
#ifndef CLEW_CLI_ATTACH_DETACHING_H
#define CLEW_CLI_ATTACH_DETACHING_H

#include <sys/types.h>

/*
 * Detaches, and prints a line that begins with `command` unless is_quiet.
 * Returns 0; -ENOENT if clew is not attached; or another -errno. Errors set
 * *why. The error may also be that clew has detached but could not copy the
 * recording to the folder that the user has chosen.
 */
int detaching_run(pid_t pid, const char *command, int is_quiet, char **why);

#endif
