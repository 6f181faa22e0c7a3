/* SPDX-License-Identifier: MIT */
/* See inherited_filter.h. */
#include "cli/recording/inherited_filter.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fail.h"
#include "cli/target/own_calls.h"
#include "cli/target/target.h"

/*
 * Makes a call with invalid arguments, except for the argument by which filters
 * judge it. No call of the list then has an effect.
 */
static void try(const struct filtered_call *call)
{
	long arguments[FILTER_ARGUMENTS] = { -1, -1, -1, -1, -1, -1 };

	if (call->number == SYS_exit || call->number == SYS_rt_sigreturn)
		return;
	if (call->known != FILTER_NONE)
		arguments[call->known] = (long)call->value;
	/* The kernel refuses CLONE_THREAD without CLONE_VM. */
	if (call->number == SYS_clone)
		arguments[0] &= ~CLONE_VM;
	syscall(call->number, arguments[0], arguments[1], arguments[2],
		arguments[3], arguments[4], arguments[5]);
}

/* Runs in the child: makes the calls from *at on, which the parent reads. */
static void try_all(const struct own_call *calls, size_t count,
		    volatile size_t *at)
{
	const struct sigaction by_default = { .sa_handler = SIG_DFL };
	sigset_t signals;

	sigaction(SIGSYS, &by_default, NULL);
	sigfillset(&signals);
	sigdelset(&signals, SIGSYS);
	sigprocmask(SIG_SETMASK, &signals, NULL);
	prctl(PR_SET_DUMPABLE, 0); /* no core file */
	for (; *at < count; ++*at)
		try(&calls[*at].call);
	_exit(0);
}

/* Returns 0 if the child tried all calls, 1 if a filter killed it, or -errno */
static int try_in_child(const struct own_call *calls, size_t count,
			volatile size_t *at)
{
	const pid_t child = fork();
	int status;

	if (child < 0)
		return -errno;
	if (!child)
		try_all(calls, count, at);
	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS && *at < count)
		return 1;
	return *at == count ? 0 : -ECHILD;
}

static int check(volatile size_t *at, uint64_t *avoided, char **why)
{
	const struct own_call *calls;
	const size_t count = own_calls(&calls);
	int result;

	while ((result = try_in_child(calls, count, at)) == 1) {
		const struct own_call *one = &calls[(*at)++];

		if (!one->avoids)
			return fail(why, -EPERM,
				    "a seccomp filter, which it would inherit, "
				    "may kill it at the system call %s of clew",
				    one->name);
		*avoided |= one->avoids;
	}
	return result ? fail(why, result,
			     "clew cannot find out what its own seccomp filter "
			     "forbids")
		      : 0;
}

int inherited_filter_check(uint64_t *avoided, char **why)
{
	void *shared;
	int err;

	if (target_status(getpid(), "Seccomp", 10) <= 0)
		return 0;
	shared = mmap(NULL, sizeof(size_t), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		return fail(why, -errno, "clew lacks memory");
	err = check(shared, avoided, why);
	munmap(shared, sizeof(size_t));
	return err;
}
