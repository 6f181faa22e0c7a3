/* SPDX-License-Identifier: MIT */
/* See syscalls.h. */
#include "preload/front/syscalls.h"

#include <linux/sched.h> /* struct clone_args */
#include <linux/seccomp.h>
#include <sys/prctl.h>

#include "preload/front/clone.h"
#include "preload/front/generators.h"
#include "preload/front/stamps.h"
#include "preload/hot/sink.h"
#include "preload/process/filter.h"
#include "preload/sys/sys.h"

long syscall_prctl(SYSCALL_ARGUMENTS)
{
	return prctl((int)a, b, c, d, e);
}

long syscall_seccomp(SYSCALL_ARGUMENTS)
{
	int begun = 0;
	long result;

	/* libseccomp calls it without a filter to query the supported flags */
	if ((a == SECCOMP_SET_MODE_STRICT && !b && !c) ||
	    (a == SECCOMP_SET_MODE_FILTER && c)) {
		generators_foresee();
		begun = filter_begin();
	}
	if (rt.sink->reads_clock && a == SECCOMP_SET_MODE_STRICT && !b && !c)
		result = stamps_enter_strict_mode();
	else
		result = sys_call_anyway(number, a, b, c, d, e, f);
	/*
	 * A positive result is the descriptor of a listener, or the tid of a
	 * thread that could not be synchronized.
	 */
	filter_end(begun, !result || (result > 0 &&
				      b & SECCOMP_FILTER_FLAG_NEW_LISTENER));
	return syscall_result(result);
}

long syscall_fork(SYSCALL_ARGUMENTS)
{
	return clone_by(number, a, b, c, d, e, f);
}

/* The arguments are those of clone(): the flags, the stack and so on. */
long syscall_clone(SYSCALL_ARGUMENTS)
{
	if (a & CLONE_VM || b)
		return syscall_plainly(number, a, b, c, d, e, f);
	return clone_by(number, a, b, c, d, e, f);
}

/* The arguments are those of clone3(): a struct clone_args and its size. */
long syscall_clone3(SYSCALL_ARGUMENTS)
{
	const struct clone_args *wanted = (const struct clone_args *)a;

	if (b < CLONE_ARGS_SIZE_VER0 || wanted->flags & CLONE_VM ||
	    wanted->stack)
		return syscall_plainly(number, a, b, c, d, e, f);
	return clone_by(number, a, b, c, d, e, f);
}

long syscall_execve(SYSCALL_ARGUMENTS)
{
	return execve((const char *)a, (char *const *)b, (char *const *)c);
}

long syscall_prlimit(SYSCALL_ARGUMENTS)
{
	return prlimit((pid_t)a, (enum __rlimit_resource)b,
		       (const struct rlimit *)c, (struct rlimit *)d);
}

long syscall_setrlimit(SYSCALL_ARGUMENTS)
{
	return setrlimit((enum __rlimit_resource)a, (const struct rlimit *)b);
}

long syscall_getrlimit(SYSCALL_ARGUMENTS)
{
	return getrlimit((enum __rlimit_resource)a, (struct rlimit *)b);
}
