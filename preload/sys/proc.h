/* SPDX-License-Identifier: MIT */
/*
 * Reads facts about this process and its threads from /proc.
 *
 * These functions use no libc and allocate nothing, so they are safe wherever a
 * file may be opened.
 */
#ifndef CLEW_SYS_PROC_H
#define CLEW_SYS_PROC_H

#include <stdint.h>

/*
 * Functions about a thread return 0 or -errno unless a comment says otherwise:
 * -ESRCH only if the thread has exited.
 */

/* Memory for a file of one line; a longer one is refused. */
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
 * Reads these lines in the status file of a thread, or of the process if tid is
 * 0. The file may be long, as it lists all groups of a user. Returns -EBADMSG
 * if a line is missing.
 */
int proc_status(int tid, struct proc_line *lines, uint32_t count);

/*
 * Returns whether a debugger or another tracer (PTRACE_ATTACH, PTRACE_SEIZE)
 * traces this process.
 */
int proc_is_traced(void);

/* Stores the mask of signals that a thread blocks. */
int proc_blocked_signals(int tid, uint64_t *mask);

/* The present activity of a thread. */
struct proc_activity {
	/* the thread waits in the kernel; the other members are 0 otherwise */
	int is_asleep;
	long call; /* number of the system call it waits in, or -1 */
	uint64_t sp;
	uint64_t pc;       /* where it will continue */
	uint64_t switches; /* context switches so far: changes if it ran */
};

int proc_activity(struct proc_text *text, int tid, struct proc_activity *out);

/*
 * Does the same as proc_activity() in a third of the time, but stores 0 in
 * `switches`.
 */
int proc_wait(struct proc_text *text, int tid, struct proc_activity *out);

/* Stores when a thread started, in ticks of 10 ms (CLOCK_BOOTTIME). */
int proc_start_ticks(struct proc_text *text, int tid, uint64_t *out);

/* Returns a thread's state as in proc(5): 'R', 'S', 'D', 'T'...; 0: unknown. */
char proc_state(struct proc_text *text, int tid);

/*
 * Stores the total time of a thread's waits for a processor that have ended. A
 * kernel that does not record this has no such file, or shows 0. Returns 0 or
 * -errno.
 */
int proc_run_delay_ns(struct proc_text *text, int tid, uint64_t *out);

#endif
