/* SPDX-License-Identifier: MIT */
/* See task.h. */
#include "preload/sys/task.h"

#include <sched.h>

#include "machine/address_space.h"
#include "preload/hot/runtime.h"
#include "preload/hot/thread.h"
#include "preload/sys/sys.h"

#define STACK_BYTES 65536

/*
 * FUTEX_WAIT without FUTEX_PRIVATE_FLAG, because the kernel's wake-up at a
 * thread's end is not private.
 */
#define FUTEX_JOIN    0

#define UNSHARE_TABLE 2 /* CLOSE_RANGE_UNSHARE of <linux/close_range.h> */

/* how often to check: a tracer may delay the end of the task */
#define JOIN_LOOKS 1000

/* task.S */
long task_clone(long flags, void *stack, _Atomic int32_t *tid,
		void (*function)(void *), void *argument, void *block);

/*
 * The memory of a task consists of its stack, space for thread-local variables
 * from clew's on, and the block to which its thread pointer points. The block's
 * first word is its own address. clew's variables may also be in the block
 * (host/own_place.h).
 */
static size_t variables_bytes(void)
{
	const uint64_t block = thread_block();
	const size_t bytes =
		(uintptr_t)&hot < block ? block - (uintptr_t)&hot : 0;

	return (bytes + PAGE_BYTES - 1) & ~(size_t)(PAGE_BYTES - 1);
}

static size_t memory_bytes(void)
{
	return STACK_BYTES + variables_bytes() + PAGE_BYTES;
}

int task_start(struct task *task, enum task_descriptors descriptors,
	       void (*function)(void *), void *argument)
{
	long flags = CLONE_VM | CLONE_FS | CLONE_SIGHAND | CLONE_THREAD |
		     CLONE_SYSVSEM | CLONE_SETTLS | CLONE_PARENT_SETTID |
		     CLONE_CHILD_CLEARTID;
	uintptr_t *block;
	long result;

	if (runtime_is_filtered())
		return -ENOSYS;
	if (!task->stack) {
		void *stack = sys_map_private(memory_bytes());

		if (sys_failed(stack))
			return -ENOMEM;
		task->stack = stack;
	}
	if (descriptors == TASK_SHARES_DESCRIPTORS)
		flags |= CLONE_FILES;
	block = (void *)(task->stack + STACK_BYTES + variables_bytes());
	*block = (uintptr_t)block;
	result = task_clone(flags, task->stack + STACK_BYTES, &task->tid,
			    function, argument, block);
	return result < 0 ? (int)result : 0;
}

int task_leave_descriptors(void)
{
	return (int)sys_call(SYS_close_range, 0, ~0U, UNSHARE_TABLE, 0, 0, 0);
}

void task_exit(void)
{
	for (;;)
		sys_call_anyway(SYS_exit, 0, 0, 0, 0, 0, 0);
}

void task_join(struct task *task)
{
	const int pid = sys_getpid();
	int tid = task->tid, now;

	while ((now = task->tid))
		sys_call(SYS_futex, (long)&task->tid, FUTEX_JOIN, now, 0, 0, 0);
	for (int i = 0; tid && i < JOIN_LOOKS && sys_thread_exists(pid, tid);
	     i++)
		sys_call(SYS_sched_yield, 0, 0, 0, 0, 0, 0);
}

void task_free(struct task *task)
{
	sys_munmap(task->stack, memory_bytes());
	task->stack = NULL;
}
