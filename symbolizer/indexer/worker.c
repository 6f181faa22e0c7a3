/* SPDX-License-Identifier: MIT */
/* See worker.h. */
#include "symbolizer/indexer/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "symbolizer/elf/heap.h"
#include "symbolizer/indexer/confinement.h"

/*
 * If the work returns -errno, the child's exit status is this number plus
 * errno.
 */
enum { STATUS_OF_ERRNO = 100 };

static uint64_t address_space_bytes(void)
{
	FILE *file = fopen("/proc/self/statm", "re");
	unsigned long long pages = 0;

	if (!file)
		return 0;
	if (fscanf(file, "%llu", &pages) != 1)
		pages = 0;
	fclose(file);
	return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

static void limit(int resource, uint64_t most)
{
	struct rlimit limit;

	if (getrlimit((__rlimit_resource_t)resource, &limit) != 0)
		return;
	if (limit.rlim_max == RLIM_INFINITY || limit.rlim_max > most)
		limit.rlim_max = most;
	limit.rlim_cur = limit.rlim_max;
	setrlimit((__rlimit_resource_t)resource, &limit);
}

/*
 * Closes all descriptors from `first` on, except fd. Descriptors of the caller
 * may give access to the memory of other processes or keep locked files locked.
 */
static void close_others(unsigned int first, int fd)
{
	const unsigned int kept = (unsigned int)fd;

	if (fd < 0 || kept < first) {
		syscall(SYS_close_range, first, ~0U, 0);
		return;
	}
	if (kept > first)
		syscall(SYS_close_range, first, kept - 1, 0);
	syscall(SYS_close_range, kept + 1, ~0U, 0);
}

static void be_silent(void)
{
	const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);

	if (nowhere < 0)
		return;
	dup2(nowhere, STDOUT_FILENO);
	dup2(nowhere, STDERR_FILENO);
}

/*
 * Blocks the signals by which users end or stop the caller. A terminal sends
 * them to the whole process group, but the caller needs the child for its own
 * cleanup.
 */
static void block_signals_to_caller(sigset_t *blocked)
{
	static const int to_caller[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM,
					 SIGTSTP };

	for (size_t i = 0; i < sizeof(to_caller) / sizeof(*to_caller); i++)
		sigaddset(blocked, to_caller[i]);
	sigprocmask(SIG_BLOCK, blocked, NULL);
}

/*
 * Makes the child a worker: resets signal handlers and the mask, sets the
 * limits, closes descriptors and confines the child. The alarm ends a child
 * that waits forever. Returns 0 or -errno.
 */
static int become_worker(const struct worker_limits *limits, pid_t caller,
			 int fd)
{
	sigset_t blocked;
	int err;

	sigemptyset(&blocked);
	if (limits->only_reads_fd)
		block_signals_to_caller(&blocked);
	for (int number = 1; number < NSIG; number++)
		signal(number, SIG_DFL);
	sigprocmask(SIG_SETMASK, &blocked, NULL);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* If the caller has ended before prctl(), no signal arrives. */
	if (getppid() != caller)
		return -ESRCH;
	limit(RLIMIT_CORE, 0);
	limit(RLIMIT_CPU, limits->seconds);
	limit(RLIMIT_FSIZE, limits->bytes);
	limit(RLIMIT_AS, address_space_bytes() + limits->bytes);
	if (!limits->has_no_alarm)
		alarm(limits->seconds * WORKER_CLOCK_FACTOR);
	if (limits->is_silent && !limits->only_reads_fd)
		be_silent();
	close_others(limits->only_reads_fd ? 0 : STDERR_FILENO + 1, fd);
	if (limits->may_download)
		return 0;
	err = limits->only_reads_fd ? confinement_enter_closed()
				    : confinement_enter(limits->writable);
	/* A kernel or emulator without such filters is accepted. */
	return err == -EINVAL || err == -ENOSYS ? 0 : err;
}

/*
 * Waits until the child has ended. Kills it one second after its alarm should
 * have done so.
 */
static void end_late(pid_t child, const struct worker_limits *limits)
{
	struct pollfd end = { .fd = (int)syscall(SYS_pidfd_open, child, 0),
			      .events = POLLIN };
	const int most_ms =
		(int)(limits->seconds * WORKER_CLOCK_FACTOR + 1) * 1000;

	int got;

	if (end.fd < 0)
		return;
	do {
		got = poll(&end, 1, most_ms);
	} while (got < 0 && errno == EINTR);
	if (got == 0)
		kill(child, SIGKILL);
	close(end.fd);
}

static int wait_for(pid_t child, int *status, struct rusage *usage)
{
	while (wait4(child, status, 0, usage) < 0) {
		if (errno != EINTR)
			return -errno;
	}
	return 0;
}

/* The limit of CPU time; the caller may have inherited a lower one. */
static uint64_t cpu_seconds(const struct worker_limits *limits)
{
	struct rlimit inherited;

	return getrlimit(RLIMIT_CPU, &inherited) == 0 &&
			       inherited.rlim_max < limits->seconds
		       ? inherited.rlim_max
		       : limits->seconds;
}

/*
 * Returns whether the child was ended by its limit of CPU time. At the limit
 * the kernel sends SIGXCPU or SIGKILL. The time that it compares with the limit
 * may be a little longer than that of `usage`.
 */
static int has_used_cpu(int signal_number, const struct rusage *usage,
			const struct worker_limits *limits)
{
	const double used_s =
		(double)(usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) +
		1e-6 * (double)(usage->ru_utime.tv_usec +
				usage->ru_stime.tv_usec);

	return signal_number == SIGXCPU ||
	       (signal_number == SIGKILL &&
		used_s >= 0.9 * (double)cpu_seconds(limits));
}

static int judge_signal(int signal_number, const struct rusage *usage,
			const struct worker_limits *limits, char *why)
{
	if (has_used_cpu(signal_number, usage, limits))
		snprintf(why, WORKER_WHY_BYTES,
			 "reading took more than %llu s of CPU",
			 (unsigned long long)cpu_seconds(limits));
	else if (signal_number == SIGALRM || signal_number == SIGKILL)
		snprintf(why, WORKER_WHY_BYTES, "reading took more than %u s",
			 limits->seconds * WORKER_CLOCK_FACTOR);
	else
		snprintf(why, WORKER_WHY_BYTES,
			 "the worker process crashed (%s)",
			 strsignal(signal_number));
	return -ECHILD;
}

static int judge(int status, const struct rusage *usage,
		 const struct worker_limits *limits, char *why)
{
	int code = WEXITSTATUS(status);

	if (WIFSIGNALED(status))
		return judge_signal(WTERMSIG(status), usage, limits, why);
	if (code == 0)
		return 0;
	if (code > STATUS_OF_ERRNO)
		return STATUS_OF_ERRNO - code;
	snprintf(why, WORKER_WHY_BYTES,
		 code == WORKER_NO_MEMORY ? "reading took more than %llu MiB"
					  : "the worker process failed",
		 (unsigned long long)(limits->bytes >> 20));
	return -ECHILD;
}

pid_t worker_start(const struct worker_limits *limits, worker_work work,
		   const void *request, int fd)
{
	const pid_t caller = getpid();
	pid_t child = fork();
	int err;

	if (child < 0)
		return -errno;
	if (child > 0)
		return child;
	err = become_worker(limits, caller, fd);
	if (!err)
		err = work(request, fd);
	_exit(err ? STATUS_OF_ERRNO - err : 0);
}

int worker_wait(pid_t child, const struct worker_limits *limits,
		char why[WORKER_WHY_BYTES])
{
	struct rusage usage;
	int status = 0, err;

	end_late(child, limits);
	err = wait_for(child, &status, &usage);
	/*
	 * -ECHILD: a wait elsewhere in the process has reaped the child, so its
	 * status is lost. The caller checks the result and notices errors.
	 */
	if (err)
		return err == -ECHILD ? 0 : err;
	return judge(status, &usage, limits, why);
}

int worker_run(const struct worker_limits *limits, worker_work work,
	       const void *request, int fd, char why[WORKER_WHY_BYTES])
{
	const pid_t child = worker_start(limits, work, request, fd);

	return child < 0 ? child : worker_wait(child, limits, why);
}
