/* SPDX-License-Identifier: MIT */
/* See filters.h. */
#include "cli/attach/filters.h"

#include <errno.h>
#include <linux/seccomp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>

#include "base/fail.h"
#include "base/memory.h"
#include "cli/attach/attach_steps.h"
#include "cli/target/filter_program.h"
#include "cli/target/own_calls.h"
#include "cli/target/target.h"

enum { FILTERS_MAX = 64, INSTRUCTIONS_MAX = 4096 };

#define STOP_PATIENCE_NS UINT64_C(2000000000)

/* The filters of one thread, of which the kernel applies all. */
struct filters {
	struct sock_filter program[INSTRUCTIONS_MAX];
	const struct own_call *calls;
	size_t call_count;
	uint32_t worst[OWN_CALLS_MAX]; /* most severe action for each call */
};

/* Adds a filter's actions to those of the filters before. */
static void add(struct filters *filters, size_t count)
{
	for (size_t i = 0; i < filters->call_count; i++)
		filters->worst[i] = filter_worse_action(
			filters->worst[i],
			filter_program_action(filters->program, count,
					      &filters->calls[i].call));
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

/*
 * Adds the calls that are not let through to the avoided ones. Returns 0, or
 * -EPERM and *why if clew cannot do without one of them.
 */
static int judge(const struct filters *filters, uint64_t *avoided, char **why)
{
	for (size_t i = 0; i < filters->call_count; i++) {
		const struct own_call *one = &filters->calls[i];
		const uint32_t action = filters->worst[i];

		if (action == SECCOMP_RET_ALLOW || action == SECCOMP_RET_LOG)
			continue;
		*avoided |= one->avoids;
		if (one->avoids)
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

static int check_filters(pid_t tid, uint64_t *avoided, char **why)
{
	struct filters *filters = memory_zeroed(1, sizeof(*filters));
	int err;

	filters->call_count = own_calls(&filters->calls);
	for (size_t i = 0; i < filters->call_count; i++)
		filters->worst[i] = SECCOMP_RET_ALLOW;
	err = read_filters(filters, tid);
	if (!err)
		err = judge(filters, avoided, why);
	else
		fail(why, err,
		     "it has a seccomp filter, which cannot be removed and may "
		     "kill it at a system call of clew; clew cannot read the "
		     "filter: %s%s",
		     strerror(-err),
		     err == -EACCES || err == -EPERM
			     ? " (it takes root outside of the container; or "
			       "use clew record)"
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
	err = check_filters(tid, &attaching->avoided, why);
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
