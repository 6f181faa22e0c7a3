/* SPDX-License-Identifier: MIT */
/*
 * Finds out from /proc and from the program's file whether clew can attach to a
 * process. If it cannot, the result is a message for the user with the reason
 * and advice.
 */
#ifndef CLEW_CLI_TARGET_TARGET_OBSTACLE_H
#define CLEW_CLI_TARGET_TARGET_OBSTACLE_H

#include <sys/types.h>

/*
 * Returns a message that says why clew cannot attach, or NULL if no reason is
 * known. The caller frees the message.
 */
char *target_obstacle(pid_t pid);

/*
 * If the process has exited or is exiting, returns a message that says so,
 * which the caller frees; otherwise NULL.
 */
char *target_end(pid_t pid);

#endif
