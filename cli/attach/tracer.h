/* SPDX-License-Identifier: MIT */
/*
 * Stops threads of another process for a moment.
 *
 * PTRACE_SEIZE and PTRACE_INTERRUPT send no signals. Signals that arrive during
 * a stop are delivered once, and system calls that a stop has interrupted
 * continue. If the tracer is killed, all threads continue.
 */
#ifndef CLEW_CLI_ATTACH_TRACER_H
#define CLEW_CLI_ATTACH_TRACER_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/user.h>

struct tracee {
	pid_t tid;
	pid_t own_tid; /* The thread's id in its own pid namespace. */
	int is_stopped;
	/* Not to be used: the thread has exited, was released, or is stuck. */
	int is_gone;
	/* The thread's registers at the stop. */
	struct user_regs_struct registers;
};

struct tracer {
	pid_t pid;
	int memory; /* Descriptor of /proc/PID/mem. */
	int has_own_ids;
	int nice; /* The nice value of clew while no thread is stopped. */
	struct tracee *threads;
	size_t count, capacity;
	/*
	 * Time (tracer_now_ns()) when the first thread was stopped; 0 if no
	 * thread is stopped.
	 */
	uint64_t stopped_ns;
	/*
	 * A thread did not stop in time. That thread is released only when
	 * the tracer exits.
	 */
	int is_stuck;
	/*
	 * Time of the next check whether the process is in a frozen control
	 * group.
	 */
	uint64_t frozen_check_ns;
	/*
	 * Signals by which users end clew also end waiting (ending_signals.h).
	 */
	int heeds_ending;
	/* Time when such a signal was first noticed; 0: not yet. */
	uint64_t ending_ns;
};

uint64_t tracer_now_ns(void);

/*
 * Waits until SIGCHLD, which arrives when a thread stops, for at most a
 * millisecond. Without SIGCHLD, marks threads that have exited. Returns 1 if
 * the caller shall go on waiting; 0 after the deadline, if the process is
 * frozen, or if clew is to end. SIGCHLD must be blocked, which tracer_open()
 * does.
 */
int tracer_await_news(struct tracer *tracer, uint64_t deadline_ns);

/*
 * Prepares a tracer for a process and blocks SIGCHLD in the calling thread.
 * Returns 0, or -errno and *why.
 */
int tracer_open(struct tracer *tracer, pid_t pid, char **why);
void tracer_close(struct tracer *tracer);

/*
 * tracer_stop_one() stops one thread, tracer_stop_all() all threads of the
 * process, within patience_ns. Return 0; -EAGAIN, without *why, if a thread did
 * not stop in time or, for tracer_stop_one(), exits meanwhile; or another
 * -errno and *why, such as -ESRCH if the process has exited. After an error,
 * all threads continue, except one that is stuck (is_stuck). Clew has a raised
 * priority from here to tracer_release() (cli/attach/priority.h).
 */
int tracer_stop_one(struct tracer *tracer, pid_t tid, uint64_t patience_ns,
		    char **why);
int tracer_stop_all(struct tracer *tracer, uint64_t patience_ns, char **why);

/*
 * Lets those stopped threads for which is_wanted() returns 1 run for a moment,
 * so that they leave the code in which they are, and stops them again. Stores
 * the number of these threads in *count. Returns 0, or -EAGAIN if a thread did
 * not stop again in time.
 */
int tracer_move(struct tracer *tracer,
		int (*is_wanted)(void *context, const struct tracee *thread),
		void *context, size_t *count);

/*
 * Detaches from all threads, which continue. Waits for threads that have not
 * stopped yet; if such a thread does not stop in time, sets is_stuck.
 */
void tracer_release(struct tracer *tracer);

/*
 * Waits until a seized thread stops for another reason than a signal; signals
 * that arrive are delivered to the thread. Returns the status, as of waitpid(),
 * or 0 if the thread has exited or tracer_await_news() has returned 0.
 */
int tracer_wait(struct tracer *tracer, struct tracee *thread,
		uint64_t deadline_ns);

#endif
