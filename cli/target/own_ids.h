/* SPDX-License-Identifier: MIT */
/*
 * The ids of threads in their own pid namespace, which differ from clew's in a
 * container.
 */
#ifndef CLEW_CLI_TARGET_OWN_IDS_H
#define CLEW_CLI_TARGET_OWN_IDS_H

#include <sys/types.h>

/*
 * Returns whether the process is in another pid namespace than clew; 0 if this
 * is unknown.
 */
int own_ids_differ(pid_t pid);

/*
 * Returns the id that a thread has in its own pid namespace, or `tid` if it is
 * unknown.
 */
pid_t own_ids_of(pid_t pid, pid_t tid);

/*
 * Returns whether the /proc that the process sees contains the process under
 * its own id. The library finds the process's threads in this /proc.
 */
int own_ids_are_seen(pid_t pid);

#endif
