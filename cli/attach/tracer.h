/* SPDX-License-Identifier: MIT */
/*
 * Stops threads of another process for a moment.
 *
 * PTRACE_SEIZE and PTRACE_INTERRUPT send no signals: signals that arrive
 * meanwhile are delivered once, and interrupted system calls continue. If the
 * tracer is killed, all threads continue.
 */
#ifndef CLEW_CLI_ATTACH_TRACER_H
#define CLEW_CLI_ATTACH_TRACER_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/user.h>

struct tracee {
	pid_t tid;
	pid_t own_tid; /* Thread id in its own pid namespace. */
	int is_stopped;
	int is_gone;
	struct user_regs_struct registers; /* At the stop. */
};

struct tracer {
	pid_t pid;
	int memory; /* Descriptor of /proc/PID/mem. */
	int has_own_ids;
	struct tracee *threads;
	size_t count, capacity;
	/* When the first thread was stopped; 0 if none is. */
	uint64_t stopped_ns;
	/*
	 * A thread did not stop in time. That thread is released only when
	 * the tracer exits.
	 */
	int is_stuck;
	/* Time of the next check whether the process is frozen. */
	uint64_t frozen_check_ns;
	/* Signals that end clew also end waiting. */
	int heeds_ending;
	uint64_t ending_ns; /* When the first one was seen; 0 if none was. */
};

uint64_t tracer_now_ns(void);

/*
 * Waits until a thread may have stopped, and marks exited threads. Returns
 * false after the deadline, if the process is frozen, or if clew is to end.
 * Needs SIGCHLD blocked, as tracer_open() does.
 */
int tracer_await_news(struct tracer *tracer, uint64_t deadline_ns);

/* Returns 0, or -errno and *why. */
int tracer_open(struct tracer *tracer, pid_t pid, char **why);
void tracer_close(struct tracer *tracer);

/*
 * Stops one thread, or all threads, within patience_ns. Returns 0; -EAGAIN if
 * one did not stop; -ESRCH if there is none; or -errno and *why. On failure,
 * all threads continue.
 */
int tracer_stop_one(struct tracer *tracer, pid_t tid, uint64_t patience_ns,
		    char **why);
int tracer_stop_all(struct tracer *tracer, uint64_t patience_ns, char **why);

/*
 * Lets the stopped threads for which is_wanted() is true run for a moment, so
 * that they leave their code, and stops them again. Stores their number in
 * *count. Returns 0, or -EAGAIN if one did not stop.
 */
int tracer_move(struct tracer *tracer,
		int (*is_wanted)(void *context, const struct tracee *thread),
		void *context, size_t *count);

/*
 * Detaches from all threads, which continue. Threads that have not stopped yet
 * are released when they stop.
 */
void tracer_release(struct tracer *tracer);

/*
 * Waits until the running thread stops for another reason than a signal;
 * signals are delivered to it. Returns its status as from waitpid(), or 0 after
 * the deadline.
 */
int tracer_wait(struct tracer *tracer, struct tracee *thread,
		uint64_t deadline_ns);

#endif
