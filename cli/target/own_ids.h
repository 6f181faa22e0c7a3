/* SPDX-License-Identifier: MIT */
/*
 * The ids that threads have for themselves: in a namespace of processes of their own
 * (a container) they are others than ours.
 */
#ifndef CLEW_CLI_TARGET_OWN_IDS_H
#define CLEW_CLI_TARGET_OWN_IDS_H

#include <sys/types.h>

/* Whether its ids are others, or may be. */
int own_ids_differ(pid_t pid);

/* A thread's own id, or ours where that is not to be known. */
pid_t own_ids_of(pid_t pid, pid_t tid);

/* Whether its /proc, by which the library knows its threads, shows the process. */
int own_ids_are_seen(pid_t pid);

#endif
