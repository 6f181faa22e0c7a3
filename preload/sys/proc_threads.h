/* SPDX-License-Identifier: MIT */
/*
 * The threads of this process, and where /proc has their files.
 *
 * What is mounted at /proc may be that of an outer namespace of processes, as
 * in what `unshare --pid --fork` or a sandbox starts before it mounts one of its
 * own: the threads' directories are named there by their numbers in that
 * namespace. So the numbers that these functions take and give, which are those
 * of gettid(), are looked up then ("NSpid:" in a status file). That the numbers
 * differ is seen by /proc/self: a process has a greater one in each namespace
 * further out, for all that the inner ones ever had were given there, too.
 *
 * No libc, no allocation: safe wherever opening a file is.
 */
#ifndef CLEW_SYS_PROC_THREADS_H
#define CLEW_SYS_PROC_THREADS_H

/*
 * Open a file of a thread's to be read; of the process's if tid is 0. -ESRCH
 * when the thread has gone, and only then; -EOPNOTSUPP when it is there, but no
 * such file.
 */
int proc_open(int tid, const char *name);

/*
 * Call visit for each thread of this process but one, also for some that were
 * born or ended meanwhile. The list is not a snapshot: a thread may be missed when
 * others end. Stops at the first answer that is not 0, and returns it.
 */
int proc_each_thread(int but_tid, int (*visit)(void *context, int tid),
		     void *context);

#endif
