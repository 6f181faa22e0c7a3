/* SPDX-License-Identifier: MIT */
/* See clone.h. */
#include "preload/front/clone.h"

#include <sched.h>
#include <stdarg.h>

#include "preload/host/next.h"
#include "preload/hot/runtime.h"
#include "preload/hot/sink.h"
#include "preload/hot/thread.h"
#include "preload/process/filter.h"
#include "preload/process/process.h"
#include "preload/record/tallies.h"
#include "preload/stack/sharing.h"
#include "preload/sys/sys.h"

static int is_running(void)
{
	return rt.header && rt.header->state == WIRE_RUNNING;
}

/*
 * Blocks all signals, until the child is initialized. Returns 0 under a system
 * call filter, where this is not possible.
 */
static int hold_signals(uint64_t *old)
{
	uint64_t all = ~UINT64_C(0);

	return !sys_call(SYS_rt_sigprocmask, SIG_SETMASK, (long)&all, (long)old,
			 sizeof(all), 0, 0);
}

static void let_signals(const uint64_t *old)
{
	sys_call_anyway(SYS_rt_sigprocmask, SIG_SETMASK, (long)old, 0,
			sizeof(*old), 0, 0);
}

long clone_by(SYSCALL_ARGUMENTS)
{
	uint64_t signals;
	long result;
	int held;

	if (!is_running())
		return syscall_result(
			sys_call_anyway(number, a, b, c, d, e, f));
	held = hold_signals(&signals);
	result = sys_call_anyway(number, a, b, c, d, e, f);
	if (!result)
		process_after_fork();
	if (held)
		let_signals(&signals);
	return syscall_result(result);
}

/* Data for the child's first function, at the top of the new stack. */
struct beginning {
	int (*function)(void *);
	void *argument;
	uint64_t signals;
	int held;
	int flags;
};

/*
 * Resets clew's thread-local data in a new thread, because they may be a copy
 * of another thread's.
 */
static void begin_thread(void)
{
	if (hot.multiplier != ID_MULTIPLIER)
		return; /* the loader has not initialized the block */
	hot.aside = NULL;
	hot.loans = (struct hot_loans){ 0 };
	sharing_forget();
	tallies_begin_thread();
}

static int begin(void *at)
{
	const struct beginning here = *(const struct beginning *)at;

	if (!(here.flags & CLONE_VM))
		process_after_fork();
	else if (here.flags & CLONE_SETTLS)
		begin_thread();
	if (here.held)
		let_signals(&here.signals);
	return here.function(here.argument);
}

static struct beginning *put_beginning(void *stack)
{
	uintptr_t top = (uintptr_t)stack & ~(uintptr_t)15;

	return (struct beginning *)(top - sizeof(struct beginning));
}

/* Runs in the parent when its child no longer uses its memory. */
static void resume_parent(uint64_t id)
{
	hot.id = id;
	sink_moved(0);
	filter_after_vfork();
}

/*
 * The front of clone(). A CLONE_VM child without CLONE_SETTLS uses the
 * thread-local storage, including the id, of its parent thread. The id is
 * restored when the child has left the memory (CLONE_VFORK); otherwise nothing
 * is counted while both run (sharing.h).
 */
EXPORT int clone(int (*function)(void *), void *stack, int flags,
		 void *argument, ...)
{
	struct beginning *here = put_beginning(stack);
	uint64_t id = hot.id, signals;
	va_list arguments;
	void *tls;
	pid_t *parent_tid, *child_tid;
	int result, held, shares, place = SHARING_UNKNOWN;

	va_start(arguments, argument);
	parent_tid = va_arg(arguments, pid_t *);
	tls = va_arg(arguments, void *);
	child_tid = va_arg(arguments, pid_t *);
	va_end(arguments);
	if (!is_running() || !function || !stack)
		return NEXT(clone)(function, stack, flags, argument, parent_tid,
				   tls, child_tid);
	shares = flags & CLONE_VM && !(flags & (CLONE_SETTLS | CLONE_VFORK));
	held = hold_signals(&signals);
	if (shares)
		place = sharing_begin((uintptr_t)__builtin_frame_address(0));
	*here = (struct beginning){ .function = function,
				    .argument = argument,
				    .signals = signals,
				    .held = held,
				    .flags = flags };
	result = NEXT(clone)(begin, here, flags, here, parent_tid, tls,
			     child_tid);
	if (shares)
		sharing_with(place, result);
	else if (flags & CLONE_VM && flags & CLONE_VFORK)
		resume_parent(id);
	if (held)
		let_signals(&signals);
	return result;
}
