/* SPDX-License-Identifier: MIT */
/* See apart.h. */
#include "preload/sys/apart.h"

#include "preload/sys/sys.h"
#include "preload/sys/task.h"

/* The link count of /proc/self/task is the number of threads plus this. */
#define LINKS_OF_TASKS 2

struct call {
	int (*function)(void *);
	void *argument;
	int err; /* not 0 if the function could not be called */
	int result;
};

/*
 * Returns whether the process has one thread, by the link count of
 * /proc/self/task, which can be read without a descriptor.
 */
static int is_one_thread(void)
{
	struct stat st;

	return !sys_stat("/proc/self/task", &st) &&
	       st.st_nlink == LINKS_OF_TASKS + 1;
}

/* Runs in a task that shares the program's descriptors at first. */
static void leave_and_run(void *at)
{
	struct call *call = at;

	call->err = task_leave_descriptors();
	if (!call->err)
		call->result = call->function(call->argument);
	task_exit();
}

/*
 * Runs in a task that has copies of the descriptors, one of which may have to
 * be closed to make room.
 */
static void run(void *at)
{
	struct call *call = at;

	call->result = call->function(call->argument);
	if (call->result == -EMFILE && !sys_close(0))
		call->result = call->function(call->argument);
	task_exit();
}

/*
 * Makes the call in a task with an empty descriptor table. On kernels that
 * cannot create one, the table is copied, which is expensive if there are many
 * descriptors.
 */
static int call_in_task(struct call *call)
{
	struct task task = { 0 };
	int err =
		task_start(&task, TASK_SHARES_DESCRIPTORS, leave_and_run, call);

	if (!err) {
		task_join(&task);
		err = call->err;
	}
	if (err == -ENOSYS || err == -EPERM) {
		err = task_start(&task, TASK_COPIES_DESCRIPTORS, run, call);
		if (!err)
			task_join(&task);
	}
	if (task.stack)
		task_free(&task);
	return err ? err : call->result;
}

int apart_call(int (*function)(void *argument), void *argument)
{
	struct call call = { .function = function, .argument = argument };
	uint64_t signals;
	int result = -EMFILE;

	sys_block_signals(&signals);
	if (is_one_thread())
		result = function(argument);
	if (result == -EMFILE)
		result = call_in_task(&call);
	sys_restore_signals(&signals);
	return result;
}

int apart_call_in_task(int (*function)(void *argument), void *argument)
{
	struct call call = { .function = function, .argument = argument };
	uint64_t signals;
	int result;

	sys_block_signals(&signals);
	result = call_in_task(&call);
	sys_restore_signals(&signals);
	return result;
}

int apart_call_alone(int (*function)(void *argument), void *argument)
{
	uint64_t signals;
	int result = -EAGAIN;

	sys_block_signals(&signals);
	if (is_one_thread())
		result = function(argument);
	sys_restore_signals(&signals);
	return result;
}
