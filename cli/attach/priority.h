/* SPDX-License-Identifier: MIT */
/*
 * The priority of processes for which stopped threads wait.
 *
 * It is raised only while threads are stopped. A child that is forked with a
 * raised priority sometimes does not run for seconds, while processes with the
 * usual priority do (docs/decisions/attach-priority.md).
 *
 * Errors are ignored: without CAP_SYS_NICE the priority stays as it is. Not
 * thread-safe.
 */
#ifndef CLEW_ATTACH_PRIORITY_H
#define CLEW_ATTACH_PRIORITY_H

#include <sys/resource.h>
#include <sys/types.h>

#define PRIORITY_RAISED (-10) /* a nice value */

/* Raises the priority of a process; 0 is the calling one. */
static inline void priority_raise(pid_t pid)
{
	if (getpriority(PRIO_PROCESS, (id_t)pid) > PRIORITY_RAISED)
		setpriority(PRIO_PROCESS, (id_t)pid, PRIORITY_RAISED);
}

/* Gives the calling process back its former nice value. */
static inline void priority_reset(int nice)
{
	if (nice > PRIORITY_RAISED)
		setpriority(PRIO_PROCESS, 0, nice);
}

#endif
