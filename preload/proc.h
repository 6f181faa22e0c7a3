/* SPDX-License-Identifier: MIT */
/*
 * What the kernel tells of this process and its threads in /proc.
 *
 * No libc, no allocation: safe wherever opening a file is.
 */
#ifndef CLEW_PRELOAD_PROC_H
#define CLEW_PRELOAD_PROC_H

#include <stdint.h>

#define PROC_TEXT_BYTES 4096

/* A file's beginning, NUL-terminated. */
struct proc_text {
	char bytes[PROC_TEXT_BYTES];
};

/*
 * Read /proc/self/NAME, or a thread's /proc/self/task/TID/NAME where tid is
 * not 0. 0 or -errno: -ENOENT or -ESRCH when the thread has gone.
 */
int proc_read(struct proc_text *text, int tid, const char *name);

/*
 * The number behind "NAME:" at the start of a line: 0, or -ENOENT. Base 10
 * or 16.
 */
int proc_field(const struct proc_text *text, const char *name,
	       unsigned int base, uint64_t *out);

/* Whether a debugger or the like (PTRACE_ATTACH, PTRACE_SEIZE) traces us. */
int proc_is_traced(void);

/* The bits of signals that a thread blocks; -errno if it has gone. */
int proc_blocked_signals(struct proc_text *text, int tid, uint64_t *mask);

/* What a thread is doing. */
struct proc_activity {
	int is_asleep; /* waits inside the kernel; else the rest is 0 */
	long call;     /* number of the system call it waits in, or -1 */
	uint64_t sp;
	uint64_t pc;       /* where it will go on */
	uint64_t switches; /* of contexts so far: changes if it ran */
};

/* 0 or -errno. */
int proc_activity(struct proc_text *text, int tid, struct proc_activity *out);

/* When a thread started, in ticks of 10 ms (CLOCK_BOOTTIME). */
int proc_start_ticks(struct proc_text *text, int tid, uint64_t *out);

/* Whether a thread runs, or would if a processor were free. */
int proc_is_runnable(struct proc_text *text, int tid);

/*
 * Call visit for each thread of this process but our own (watch.h), also for some that were born or
 * ended meanwhile. The list is not a snapshot: a thread may be missed when
 * others end. Stops at the first answer that is not 0, and returns it.
 */
int proc_each_thread(int (*visit)(void *context, int tid), void *context);

#endif
