/* SPDX-License-Identifier: MIT */
/*
 * Finds reasons why clew cannot attach to a process, in /proc and in the
 * program's file, with advice.
 */
#ifndef CLEW_CLI_TARGET_TARGET_OBSTACLE_H
#define CLEW_CLI_TARGET_TARGET_OBSTACLE_H

#include <sys/types.h>

/* Returns a reason, which the caller frees, or NULL if none is known. */
char *target_obstacle(pid_t pid);

/*
 * Returns a text if the process has exited or is exiting, which the caller
 * frees, or NULL.
 */
char *target_end(pid_t pid);

#endif
