/* SPDX-License-Identifier: MIT */
/*
 * Control groups can be frozen (docker pause, systemctl freeze): the kernel then lets
 * none of their threads run, and clew can make none of them call anything.
 */
#ifndef CLEW_CLI_TARGET_FROZEN_GROUP_H
#define CLEW_CLI_TARGET_FROZEN_GROUP_H

#include <sys/types.h>

/* Whether the process is in a frozen control group, of either version. */
int frozen_group_has(pid_t pid);

/* Why nothing can be done with such a process, for free(); NULL: it is in none. */
char *frozen_group_obstacle(pid_t pid);

#endif
