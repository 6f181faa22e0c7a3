/* SPDX-License-Identifier: MIT */
/*
 * The threads of this process, and their files in /proc.
 *
 * /proc may belong to an outer PID namespace, for example in a process that
 * `unshare --pid --fork` or a sandbox starts before it mounts another /proc.
 * The threads' directories then have the numbers of that namespace. The
 * functions below take and return tids as gettid() does, and translate them in
 * that case ("NSpid:" in a status file). /proc/self shows whether the numbers
 * differ: a process has a greater number in each outer namespace, because all
 * numbers of inner ones were assigned there as well.
 *
 * These functions use no libc and allocate nothing, so they are safe wherever a
 * file may be opened.
 */
#ifndef CLEW_SYS_PROC_THREADS_H
#define CLEW_SYS_PROC_THREADS_H

#include <stddef.h>

/*
 * Opens a file of a thread for reading, or of the process if tid is 0. Returns
 * -ESRCH only if the thread has exited (a main thread that has ended still has
 * its files); -EOPNOTSUPP if it exists and has no such file; or another -errno
 * of open().
 */
int proc_open(int tid, const char *name);

/*
 * Opens a file about the memory of this process: maps, mem, pagemap, auxv or
 * cmdline. Once the main thread has ended, /proc/self has only empty ones; then
 * the calling thread's file is opened. Some AppArmor profiles permit only
 * /proc/self. Returns -errno if there is no such file.
 */
int proc_open_own(const char *name, int flags);

/*
 * Stores what a link in the folder of proc_open_own() contains, such as exe or
 * fd/3, without a NUL. Returns its length, at most `bytes`, or -errno.
 */
long proc_read_own_link(const char *name, char *out, size_t bytes);

/*
 * Calls visit for each thread of this process except but_tid. Threads that
 * start or exit meanwhile may be included. The list is no snapshot: a thread
 * may be missed when others exit. Stops at the first result other than 0 and
 * returns it.
 */
int proc_each_thread(int but_tid, int (*visit)(void *context, int tid),
		     void *context);

#endif
