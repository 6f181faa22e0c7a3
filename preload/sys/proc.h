/* SPDX-License-Identifier: MIT */
/*
 * What the kernel tells of this process and its threads in /proc.
 *
 * No libc, no allocation: safe wherever opening a file is.
 */
#ifndef CLEW_SYS_PROC_H
#define CLEW_SYS_PROC_H

#include <stdint.h>

/*
 * Functions that look at a thread return 0 or -errno: -ESRCH when the thread
 * has gone, and only then.
 */

/* Room for a file of one line; a longer one is refused. */
#define PROC_TEXT_BYTES 1024

struct proc_text {
	char bytes[PROC_TEXT_BYTES]; /* NUL-terminated */
};

/* A line "NAME:	NUMBER" of a status file. */
struct proc_line {
	const char *name;
	unsigned int base; /* 10 or 16 */
	int is_found;
	uint64_t value;
};

/*
 * Find such lines in /proc/self/status, or in a thread's. The file may be long,
 * for it lists all groups of a user. -EBADMSG if a line is missing.
 */
int proc_status(int tid, struct proc_line *lines, uint32_t count);

/* Whether a debugger or the like (PTRACE_ATTACH, PTRACE_SEIZE) traces us. */
int proc_is_traced(void);

/* The bits of signals that a thread blocks. */
int proc_blocked_signals(int tid, uint64_t *mask);

/* What a thread is doing. */
struct proc_activity {
	int is_asleep; /* waits inside the kernel; else the rest is 0 */
	long call;     /* number of the system call it waits in, or -1 */
	uint64_t sp;
	uint64_t pc;       /* where it will go on */
	uint64_t switches; /* of contexts so far: changes if it ran */
};

int proc_activity(struct proc_text *text, int tid, struct proc_activity *out);

/* The same in a third of the time, without `switches`, which are 0. */
int proc_wait(struct proc_text *text, int tid, struct proc_activity *out);

/* When a thread started, in ticks of 10 ms (CLOCK_BOOTTIME). */
int proc_start_ticks(struct proc_text *text, int tid, uint64_t *out);

/* A thread's state as proc(5) has it: 'R', 'S', 'D', 'T'...; 0: not known. */
char proc_state(struct proc_text *text, int tid);

/*
 * How long a thread that was ready to run has waited for a processor so far. Some
 * kernels do not know.
 */
int proc_run_delay_ns(struct proc_text *text, int tid, uint64_t *out);

#endif
