/* SPDX-License-Identifier: MIT */
/*
 * Frozen control groups (docker pause, systemctl freeze). The kernel does not
 * run threads of a frozen group, so clew cannot call functions in them.
 */
#ifndef CLEW_CLI_TARGET_FROZEN_GROUP_H
#define CLEW_CLI_TARGET_FROZEN_GROUP_H

#include <sys/types.h>

/*
 * Returns whether the process is in a frozen control group, of version 1 or 2.
 */
int frozen_group_has(pid_t pid);

/*
 * Returns a message that says that the process is in a frozen control group, or
 * NULL if it is in none. The caller frees the message.
 */
char *frozen_group_obstacle(pid_t pid);

#endif
