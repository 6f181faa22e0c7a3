/* SPDX-License-Identifier: MIT */
/* See tracer.h. */
#include "cli/attach/tracer.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/now.h"
#include "cli/attach/interrupted.h"
#include "cli/attach/priority.h"
#include "cli/attach/stopped_registers.h"
#include "cli/target/ending_signals.h"
#include "cli/target/frozen_group.h"
#include "cli/target/own_ids.h"
#include "cli/target/target.h"
#include "cli/target/target_obstacle.h"

/*
 * In this order: time limit for moved threads to stop again; how long moved
 * threads run; time limit in tracer_release() for threads to stop; time between
 * two checks whether the process is frozen; how long after an ending signal
 * waiting is aborted.
 */
#define MOVE_NS         UINT64_C(200000000)
#define MOVE_MOMENT_NS  20000
#define LAST_STOPS_NS   UINT64_C(10000000000)

#define FROZEN_CHECK_NS UINT64_C(20000000)
#define ENDING_NS       UINT64_C(1000000000)

uint64_t tracer_now_ns(void)
{
	return now_ns(CLOCK_MONOTONIC);
}

/*
 * Returns whether a thread has exited. waitid() may also report that it has
 * stopped; WNOWAIT leaves such a report for the next waitpid().
 */
static int has_ended(pid_t tid)
{
	siginfo_t news = { 0 };

	return waitid(P_PID, (id_t)tid, &news,
		      WEXITED | WNOHANG | WNOWAIT | __WALL) == 0 &&
	       news.si_pid &&
	       (news.si_code == CLD_EXITED || news.si_code == CLD_KILLED ||
		news.si_code == CLD_DUMPED);
}

/*
 * Marks and reaps threads that have exited. If a process is killed, the exit of
 * its first thread is visible only after the other threads were reaped.
 */
static void see_ends(struct tracer *tracer)
{
	for (size_t i = 0; i < tracer->count; i++) {
		struct tracee *thread = &tracer->threads[i];

		if (thread->is_gone || !has_ended(thread->tid))
			continue;
		waitpid(thread->tid, NULL, __WALL);
		thread->is_gone = 1;
	}
}

/*
 * Returns whether the process is in a frozen control group, so that its threads
 * neither stop nor return from calls. Checks at most once in FROZEN_CHECK_NS,
 * and returns 0 otherwise.
 */
static int is_frozen(struct tracer *tracer, uint64_t now_ns)
{
	if (now_ns < tracer->frozen_check_ns)
		return 0;
	tracer->frozen_check_ns = now_ns + FROZEN_CHECK_NS;
	return frozen_group_has(tracer->pid);
}

/*
 * Returns whether clew has received an ending signal, and ENDING_NS have passed
 * since this function first noticed it. The delay lets the present operation
 * complete.
 */
static int is_to_end(struct tracer *tracer, uint64_t now_ns)
{
	if (!tracer->heeds_ending || !ending_signals_have_come())
		return 0;
	if (!tracer->ending_ns)
		tracer->ending_ns = now_ns;
	return now_ns >= tracer->ending_ns + ENDING_NS;
}

/*
 * Checks for exited threads only when no SIGCHLD arrives, since a check at each
 * signal would take quadratic time. The kernel may merge the signals of several
 * threads into one, so each wait is short.
 */
int tracer_await_news(struct tracer *tracer, uint64_t deadline_ns)
{
	const struct timespec moment = { .tv_nsec = 1000000 };
	sigset_t child;

	if (tracer_now_ns() >= deadline_ns) {
		see_ends(tracer);
		return 0;
	}
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	if (sigtimedwait(&child, NULL, &moment) >= 0)
		return 1;
	see_ends(tracer);
	return !is_frozen(tracer, tracer_now_ns()) &&
	       !is_to_end(tracer, tracer_now_ns());
}

int tracer_open(struct tracer *tracer, pid_t pid, char **why)
{
	char *path = memory_printf("/proc/%d/mem", pid);

	sigset_t child;

	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigprocmask(SIG_BLOCK, &child, NULL);
	*tracer = (struct tracer){ .pid = pid,
				   .has_own_ids = own_ids_differ(pid),
				   .nice = getpriority(PRIO_PROCESS, 0) };
	tracer->memory = open(path, O_RDWR | O_CLOEXEC);
	free(path);
	if (tracer->memory < 0)
		return fail(why, -errno, "its memory cannot be opened: %s%s",
			    strerror(errno), target_permission_hint(-errno));
	return 0;
}

void tracer_close(struct tracer *tracer)
{
	tracer_release(tracer);
	close(tracer->memory);
	free(tracer->threads);
}

/* ---- Stopping, moving and releasing threads ---- */

static int is_event_stop(int status)
{
	return WIFSTOPPED(status) && status >> 16 == PTRACE_EVENT_STOP;
}

int tracer_wait(struct tracer *tracer, struct tracee *thread,
		uint64_t deadline_ns)
{
	int status;

	while (!thread->is_gone) {
		pid_t got = waitpid(thread->tid, &status, __WALL | WNOHANG);

		if (got < 0 || (got > 0 && !WIFSTOPPED(status))) {
			thread->is_gone = 1;
			return 0;
		}
		if (got == 0) {
			if (!tracer_await_news(tracer, deadline_ns))
				return 0;
			continue;
		}
		if (is_event_stop(status) || status >> 16 ||
		    WSTOPSIG(status) == (SIGTRAP | 0x80)) {
			thread->is_stopped = 1;
			return status;
		}
		/*
		 * The thread has stopped for a signal: delivers it. The thread
		 * then stops because of PTRACE_INTERRUPT.
		 */
		ptrace(PTRACE_CONT, thread->tid, 0, (long)WSTOPSIG(status));
	}
	return 0;
}

static struct tracee *find_thread(struct tracer *tracer, pid_t tid)
{
	for (size_t i = 0; i < tracer->count; i++)
		if (tracer->threads[i].tid == tid)
			return &tracer->threads[i];
	return NULL;
}

/*
 * Sets *why to the reason why PTRACE_SEIZE has failed with errno `err`. Returns
 * -err.
 */
static int refused(pid_t pid, int err, char **why)
{
	const int64_t tracer = target_status(pid, "TracerPid", 10);
	int scope = 0, fd = open("/proc/sys/kernel/yama/ptrace_scope",
				 O_RDONLY | O_CLOEXEC);
	char *end = target_end(pid);
	char c;

	if (fd >= 0) {
		scope = read(fd, &c, 1) == 1 ? c - '0' : 0;
		close(fd);
	}
	if (end) {
		*why = end;
		return -err;
	}
	if (err == ESRCH)
		return fail(why, -ESRCH, "it has exited");
	if (tracer > 0)
		return fail(why, -err, "process %d traces it", (int)tracer);
	if (scope == 3)
		return fail(why, -err,
			    "the kernel permits no tracing "
			    "(kernel.yama.ptrace_scope is 3, which only a "
			    "reboot changes)");
	if (scope > 0 && geteuid() != 0)
		return fail(why, -err,
			    "only root may trace running processes "
			    "(kernel.yama.ptrace_scope is %d); run clew as "
			    "root, or set sysctl kernel.yama.ptrace_scope=0",
			    scope);
	return fail(why, -err, "it cannot be traced: %s%s", strerror(err),
		    target_permission_hint(-err));
}

/*
 * Seizes one thread and requests its stop. Skips a thread that has exited
 * meanwhile, unless it is the first thread. Returns 0, or -errno and *why.
 */
static int seize(struct tracer *tracer, pid_t tid, char **why)
{
	struct tracee thread = { .tid = tid, .own_tid = tid };

	if (tracer->is_stuck)
		return fail(why, -EBUSY, "one of its threads does not stop");
	if (ptrace(PTRACE_SEIZE, tid, 0, (long)PTRACE_O_TRACESYSGOOD) != 0) {
		const int err = errno;

		if (err == ESRCH && tid != tracer->pid)
			return 0;
		if (err == EPERM && tid != tracer->pid &&
		    target_thread_is_going(tracer->pid, tid))
			return 0;
		return refused(tracer->pid, err, why);
	}
	ptrace(PTRACE_INTERRUPT, tid, 0, 0);
	if (tracer->has_own_ids)
		thread.own_tid = own_ids_of(tracer->pid, tid);
	tracer->threads =
		memory_grow(tracer->threads, tracer->count, &tracer->capacity,
			    sizeof(*tracer->threads));
	tracer->threads[tracer->count++] = thread;
	return 0;
}

static void take_registers(struct tracee *thread)
{
	if (stopped_read(thread->tid, &thread->registers) != 0)
		thread->is_gone = 1;
}

/*
 * Waits until all seized threads have stopped or exited. Returns 0, or -EAGAIN
 * after the deadline.
 */
static int wait_for_all(struct tracer *tracer, uint64_t deadline_ns)
{
	for (size_t i = 0; i < tracer->count; i++) {
		struct tracee *thread = &tracer->threads[i];

		if (thread->is_stopped || thread->is_gone)
			continue;
		if (!tracer_wait(tracer, thread, deadline_ns) &&
		    !thread->is_gone)
			return -EAGAIN;
		if (!thread->is_gone)
			take_registers(thread);
	}
	return 0;
}

int tracer_stop_one(struct tracer *tracer, pid_t tid, uint64_t patience_ns,
		    char **why)
{
	int err;

	priority_raise(0);
	tracer->stopped_ns = tracer_now_ns();
	err = seize(tracer, tid, why);
	if (!err)
		err = wait_for_all(tracer, tracer->stopped_ns + patience_ns);
	if (!err && (!tracer->count || tracer->threads[0].is_gone))
		err = -EAGAIN;
	if (err)
		tracer_release(tracer);
	return err;
}

/*
 * Seizes all threads that are not seized yet, and stores their number in *news.
 * Returns 0, or -errno and *why.
 */
static int seize_new(struct tracer *tracer, size_t *news, char **why)
{
	pid_t *tids;
	const size_t count = target_threads(tracer->pid, &tids);
	int err = count ? 0 : fail(why, -ESRCH, "it has exited");

	*news = 0;
	for (size_t i = 0; i < count && !err; i++) {
		if (find_thread(tracer, tids[i]))
			continue;
		++*news;
		err = seize(tracer, tids[i], why);
	}
	free(tids);
	return err;
}

/*
 * Passes over the threads until a pass finds no new thread. Stopped threads
 * create no threads, so all threads are stopped then.
 */
int tracer_stop_all(struct tracer *tracer, uint64_t patience_ns, char **why)
{
	size_t news;
	int err;

	priority_raise(0);
	tracer->stopped_ns = tracer_now_ns();
	do {
		err = seize_new(tracer, &news, why);
		if (!err)
			err = wait_for_all(tracer,
					   tracer->stopped_ns + patience_ns);
	} while (!err && news);
	if (err)
		tracer_release(tracer);
	return err;
}

/*
 * Returns on how many processors the first thread of the process may run; 1 if
 * this is unknown.
 */
static size_t count_processors(pid_t pid)
{
	cpu_set_t set;

	if (sched_getaffinity(pid, sizeof(set), &set) != 0)
		return 1;
	return (size_t)CPU_COUNT(&set);
}

static void move_on(struct tracee *thread)
{
	interrupted_go_on(thread);
	thread->is_stopped = 0;
	ptrace(PTRACE_CONT, thread->tid, 0, 0);
}

/* Lets the moved threads run for a moment, then stops them again. */
static int stop_moved(struct tracer *tracer)
{
	const struct timespec moment = { .tv_nsec = MOVE_MOMENT_NS };

	nanosleep(&moment, NULL);
	for (size_t i = 0; i < tracer->count; i++)
		if (!tracer->threads[i].is_stopped)
			ptrace(PTRACE_INTERRUPT, tracer->threads[i].tid, 0, 0);
	return wait_for_all(tracer, tracer_now_ns() + MOVE_NS);
}

/*
 * Lets at most as many threads run at once as there are processors. Otherwise
 * most threads would be stopped again before they had run, and these would
 * always be the same threads.
 */
int tracer_move(struct tracer *tracer,
		int (*is_wanted)(void *context, const struct tracee *thread),
		void *context, size_t *count)
{
	const size_t at_once = count_processors(tracer->pid);
	size_t moved = 0;
	int err = 0;

	*count = 0;
	for (size_t i = 0; i < tracer->count && !err; i++) {
		struct tracee *thread = &tracer->threads[i];

		if (thread->is_gone || !is_wanted(context, thread))
			continue;
		++*count;
		move_on(thread);
		if (++moved < at_once)
			continue;
		err = stop_moved(tracer);
		moved = 0;
	}
	return err || !moved ? err : stop_moved(tracer);
}

static void release(struct tracer *tracer, struct tracee *thread)
{
	if (thread->is_gone || !thread->is_stopped)
		return;
	interrupted_go_on(thread);
	ptrace(PTRACE_DETACH, thread->tid, 0, 0);
	thread->is_gone = 1;
}

/*
 * Releases all threads. A thread that has not stopped yet can be released only
 * after it has stopped, so this function waits for that. A thread that waits
 * for its vfork child would otherwise stop later, when no tracer is left to let
 * it continue.
 */
void tracer_release(struct tracer *tracer)
{
	const uint64_t deadline_ns = tracer_now_ns() + LAST_STOPS_NS;

	for (size_t i = 0; i < tracer->count; i++)
		release(tracer, &tracer->threads[i]);
	for (size_t i = 0; i < tracer->count; i++) {
		struct tracee *thread = &tracer->threads[i];

		if (thread->is_gone)
			continue;
		if (tracer_wait(tracer, thread, deadline_ns))
			release(tracer, thread);
		else if (!thread->is_gone)
			tracer->is_stuck = 1;
	}
	tracer->count = 0;
	tracer->stopped_ns = 0;
	priority_reset(tracer->nice);
}
