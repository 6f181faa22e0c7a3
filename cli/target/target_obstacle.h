/* SPDX-License-Identifier: MIT */
/*
 * Why clew cannot be attached to a process, as far as /proc and its program's file
 * tell, and what would help.
 */
#ifndef CLEW_CLI_TARGET_TARGET_OBSTACLE_H
#define CLEW_CLI_TARGET_TARGET_OBSTACLE_H

#include <sys/types.h>

/* For free(); NULL: nothing is known to be in the way. */
char *target_obstacle(pid_t pid);

/* That it has ended, or is about to, for free(); NULL: it goes on. */
char *target_end(pid_t pid);

#endif
