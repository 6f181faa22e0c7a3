/* SPDX-License-Identifier: MIT */
/*
 * Frozen control groups (docker pause, systemctl freeze). The kernel runs none
 * of their threads, so clew cannot make a thread call anything.
 */
#ifndef CLEW_CLI_TARGET_FROZEN_GROUP_H
#define CLEW_CLI_TARGET_FROZEN_GROUP_H

#include <sys/types.h>

/*
 * Returns whether the process is in a frozen control group, of version 1 or 2.
 */
int frozen_group_has(pid_t pid);

/*
 * Returns a text that says so, which the caller frees, or NULL if the process
 * is in none.
 */
char *frozen_group_obstacle(pid_t pid);

#endif
