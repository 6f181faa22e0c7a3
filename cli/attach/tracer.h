/* SPDX-License-Identifier: MIT */
/*
 * Threads of another process, stopped for a moment.
 *
 * By PTRACE_SEIZE and PTRACE_INTERRUPT, which send no signals: what arrives
 * meanwhile is delivered once, a system call that was interrupted goes on, and who
 * is killed while it traces leaves all threads running.
 */
#ifndef CLEW_CLI_ATTACH_TRACER_H
#define CLEW_CLI_ATTACH_TRACER_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/user.h>

struct tracee {
	pid_t tid;
	pid_t own_tid; /* as it knows it itself */
	int is_stopped;
	int is_gone;
	struct user_regs_struct registers; /* where it was stopped */
};

struct tracer {
	pid_t pid;
	int memory; /* of /proc/PID/mem */
	int has_own_ids;
	struct tracee *threads;
	size_t count, capacity;
	uint64_t stopped_ns; /* since when the first of them is; 0: none is */
	/* One did not stop in time, and is let go with the tracer's end only. */
	int is_stuck;
	/* For how long it is not looked whether the process is frozen. */
	uint64_t frozen_check_ns;
	/* Signals to end clew end waiting, too. */
	int heeds_ending;
	uint64_t ending_ns; /* when one was seen first; 0: none was */
};

uint64_t tracer_now_ns(void);

/*
 * Until a thread may have stopped; those that have ended are marked so. False if it
 * is too late, or in vain: the process is frozen, or clew is to end. SIGCHLD is blocked, as
 * tracer_open() has left it.
 */
int tracer_await_news(struct tracer *tracer, uint64_t deadline_ns);

/* 0, or -errno and *why. */
int tracer_open(struct tracer *tracer, pid_t pid, char **why);
void tracer_close(struct tracer *tracer);

/*
 * Stop one thread, or all there are, for at most so long. 0; -EAGAIN if one did
 * not stop; -ESRCH if there is none; or -errno and *why. Unless it is 0, all go on.
 */
int tracer_stop_one(struct tracer *tracer, pid_t tid, uint64_t patience_ns,
		    char **why);
int tracer_stop_all(struct tracer *tracer, uint64_t patience_ns, char **why);

/*
 * Of the stopped threads, let those go on that is_wanted says, for a moment, so
 * that they are elsewhere when they are stopped again. 0; -EAGAIN if one did not
 * stop. How many there were in *count.
 */
int tracer_move(struct tracer *tracer,
		int (*is_wanted)(void *context, const struct tracee *thread),
		void *context, size_t *count);

/* All go on where they were, untraced; those that have not stopped, when they do. */
void tracer_release(struct tracer *tracer);

/*
 * Until the thread, which goes on, has stopped in another way than for a signal,
 * which it gets. Its status as waitpid() gives it; 0 if it did not stop in time.
 */
int tracer_wait(struct tracer *tracer, struct tracee *thread,
		uint64_t deadline_ns);

#endif
