/* SPDX-License-Identifier: MIT */
/* See filters.h. */
#include "cli/attach/filters.h"

#include <errno.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>

#include "base/fail.h"
#include "base/memory.h"
#include "cli/attach/attach_steps.h"
#include "cli/target/filter_program.h"
#include "cli/target/target.h"
#include "machine/own_system_calls.h"

enum { FILTERS_MAX = 64, INSTRUCTIONS_MAX = 4096 };

#define STOP_PATIENCE_NS UINT64_C(2000000000)

/* A call that clew may make in the process. */
struct own_call {
	const char *name;
	struct filtered_call call;
	/* The call may fail: clew then does without it. */
	int may_fail;
};

/* clang-format off */
#define CALL(name)               WITH(name, FILTER_NONE, 0)
#define WITH(name, index, value) #name, { SYS_##name, index, value }
#define ROW(name)                { CALL(name), 0 },
/* clang-format on */

/* as in preload/sys/task.c; a test compares them */
#define TASK                                                                   \
	(CLONE_VM | CLONE_FS | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM |  \
	 CLONE_SETTLS | CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID)

/*
 * All calls of preload/ and of the functions of glibc that run in the process:
 * dlopen(), dlclose() and the allocator. A test compares them with the sources
 * (e2e/attach_filtered).
 */
static const struct own_call own_calls[] = {
	{ CALL(brk), 0 },
	{ CALL(clock_getres), 0 },
	{ CALL(clock_gettime), 0 },
	{ WITH(clone, 0, TASK), 0 },
	{ WITH(clone, 0, TASK | CLONE_FILES), 0 },
	{ CALL(close), 0 },
	{ CALL(close_range), 0 },
	{ CALL(exit), 0 },
	{ CALL(faccessat), 0 },
	{ CALL(fallocate), 0 },
	{ CALL(fchmod), 0 },
	{ CALL(fcntl), 0 },
	{ CALL(flock), 0 },
	{ CALL(fstat), 0 },
	{ CALL(fstatfs), 0 },
	{ CALL(ftruncate), 0 },
	{ CALL(futex), 0 },
	{ CALL(getcwd), 0 },
	{ CALL(getdents64), 0 },
	{ CALL(getegid), 0 },
	{ CALL(geteuid), 0 },
	{ CALL(getgid), 0 },
	{ CALL(getpid), 0 },
	{ CALL(getppid), 0 },
	{ CALL(getrandom), 0 },
	{ CALL(getrusage), 0 },
	{ CALL(gettid), 0 },
	{ CALL(getuid), 0 },
	{ CALL(ioctl), 0 },
	{ CALL(lseek), 0 },
	{ CALL(madvise), 0 },
	{ CALL(membarrier), 0 },
	{ CALL(memfd_create), 1 },
	{ CALL(mincore), 0 },
	{ CALL(mkdirat), 0 },
	{ WITH(mmap, 2, PROT_NONE), 0 },
	{ WITH(mmap, 2, PROT_READ), 0 },
	{ WITH(mmap, 2, PROT_WRITE), 0 },
	{ WITH(mmap, 2, PROT_READ | PROT_WRITE), 0 },
	{ WITH(mmap, 2, PROT_READ | PROT_EXEC), 0 },
	{ WITH(mprotect, 2, PROT_NONE), 0 },
	{ WITH(mprotect, 2, PROT_READ), 0 },
	{ WITH(mprotect, 2, PROT_WRITE), 0 },
	{ WITH(mprotect, 2, PROT_READ | PROT_WRITE), 0 },
	{ WITH(mprotect, 2, PROT_READ | PROT_EXEC), 1 },
	{ WITH(mprotect, 2, PROT_READ | PROT_WRITE | PROT_EXEC), 1 },
	{ CALL(mremap), 0 },
	{ CALL(msync), 0 },
	{ CALL(munmap), 0 },
	{ CALL(nanosleep), 0 },
	{ CALL(newfstatat), 0 },
	{ CALL(openat), 0 },
	{ CALL(perf_event_open), 1 },
	{ CALL(prctl), 0 },
	{ CALL(pread64), 0 },
	{ CALL(prlimit64), 0 },
	{ CALL(process_vm_readv), 0 },
	{ CALL(pwrite64), 0 },
	{ CALL(pwritev), 0 },
	{ CALL(read), 0 },
	{ CALL(readlinkat), 0 },
	{ CALL(renameat), 0 },
	{ CALL(renameat2), 0 },
	{ CALL(rseq), 0 },
	{ CALL(rt_sigaction), 0 },
	{ CALL(rt_sigpending), 0 },
	{ CALL(rt_sigprocmask), 0 },
	{ CALL(rt_sigqueueinfo), 0 },
	{ CALL(rt_sigreturn), 0 },
	{ CALL(rt_sigtimedwait), 0 },
	{ CALL(rt_tgsigqueueinfo), 0 },
	{ CALL(sched_getaffinity), 0 },
	{ CALL(sched_yield), 0 },
	{ CALL(sigaltstack), 0 },
	{ CALL(symlinkat), 0 },
	{ CALL(tgkill), 0 },
	{ CALL(timer_create), 0 },
	{ CALL(timer_delete), 0 },
	{ CALL(timer_settime), 0 },
	{ CALL(tkill), 0 },
	{ CALL(truncate), 0 },
	{ CALL(uname), 0 },
	{ CALL(unlinkat), 0 },
	{ CALL(utimensat), 0 },
	{ CALL(write), 0 },
	MACHINE_OWN_CALLS(ROW)
};

enum { OWN_CALLS = sizeof(own_calls) / sizeof(*own_calls) };

/* The filters of one thread, of which the kernel applies all. */
struct filters {
	struct sock_filter program[INSTRUCTIONS_MAX];
	uint32_t worst[OWN_CALLS]; /* most severe action for each call */
};

/* Adds a filter's actions to those of the filters before. */
static void add(struct filters *filters, size_t count)
{
	for (size_t i = 0; i < OWN_CALLS; i++)
		filters->worst[i] = filter_worse_action(
			filters->worst[i],
			filter_program_action(filters->program, count,
					      &own_calls[i].call));
}

/* Returns 0, or -errno if the filters of a thread cannot be read. */
static int read_filters(struct filters *filters, pid_t tid)
{
	for (uintptr_t i = 0; i < FILTERS_MAX; i++) {
		long count = ptrace(PTRACE_SECCOMP_GET_FILTER, tid, i, NULL);

		if (count < 0)
			return errno == ENOENT && i > 0 ? 0 : -errno;
		if (count > INSTRUCTIONS_MAX)
			return -E2BIG;
		count = ptrace(PTRACE_SECCOMP_GET_FILTER, tid, i,
			       filters->program);
		if (count < 0)
			return -errno;
		add(filters, (size_t)count);
	}
	return -E2BIG;
}

static const char *reaction(uint32_t action)
{
	switch (action) {
	case SECCOMP_RET_KILL_PROCESS:
	case SECCOMP_RET_KILL_THREAD:
		return "may kill it";
	case SECCOMP_RET_TRAP:
		return "may send it SIGSYS";
	case SECCOMP_RET_ERRNO:
		return "refuses";
	default:
		return "asks another process";
	}
}

/* Returns 0, or -EPERM and *why if a call of clew's is not let through. */
static int judge(const struct filters *filters, char **why)
{
	for (size_t i = 0; i < OWN_CALLS; i++) {
		const struct own_call *one = &own_calls[i];
		const uint32_t action = filters->worst[i];

		if (action == SECCOMP_RET_ALLOW || action == SECCOMP_RET_LOG ||
		    (one->may_fail && action == SECCOMP_RET_ERRNO))
			continue;
		return fail(why, -EPERM,
			    "its seccomp filter %s %s %s, which clew calls in "
			    "it; start it with clew record, or with another "
			    "filter",
			    reaction(action),
			    action == SECCOMP_RET_ERRNO ? "the system call"
							: "at the system call",
			    one->name);
	}
	return 0;
}

static int check_filters(pid_t tid, char **why)
{
	struct filters *filters = memory_zeroed(1, sizeof(*filters));
	int err;

	for (size_t i = 0; i < OWN_CALLS; i++)
		filters->worst[i] = SECCOMP_RET_ALLOW;
	err = read_filters(filters, tid);
	if (!err)
		err = judge(filters, why);
	else
		fail(why, err,
		     "it has a seccomp filter, which cannot be removed and may "
		     "kill it at a system call of clew; clew cannot read the "
		     "filter: %s%s",
		     strerror(-err),
		     err == -EACCES || err == -EPERM
			     ? " (it takes root outside of the container)"
			     : "");
	free(filters);
	return err;
}

/* Returns SECCOMP_MODE_*, which is 0 without a filter; -1 if it is unknown. */
static int64_t mode_of(pid_t tid)
{
	return target_status(tid, "Seccomp", 10);
}

/*
 * Checks a thread of this mode. The filters are read while the thread is
 * stopped; the others run.
 */
static int check_thread(struct attaching *attaching, pid_t tid, int64_t mode,
			char **why)
{
	int err;

	if (mode == SECCOMP_MODE_STRICT)
		return fail(why, -EPERM,
			    "it has the strict mode of seccomp, in which the "
			    "kernel kills it at any system call of clew");
	err = tracer_stop_one(&attaching->tracer, tid, STOP_PATIENCE_NS, why);
	if (err == -EAGAIN && !target_thread_is_going(attaching->pid, tid))
		return 0;
	if (err == -EAGAIN)
		return fail(why, err, "one of its threads does not stop");
	if (err)
		return err;
	err = check_filters(tid, why);
	attach_release_one(attaching);
	return err;
}

int filters_check(struct attaching *attaching, char **why)
{
	pid_t *tids;
	const size_t count = target_threads(attaching->pid, &tids);
	int err = 0;

	for (size_t i = 0; i < count && !err; i++) {
		const int64_t mode = mode_of(tids[i]);

		if (mode > 0)
			err = check_thread(attaching, tids[i], mode, why);
	}
	free(tids);
	return err;
}
