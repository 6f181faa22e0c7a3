/* SPDX-License-Identifier: MIT */
/* See cli/attach/shared_stacks.h. */
#include "cli/attach/shared_stacks.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "base/memory.h"
#include "cli/attach/restarted_call.h"
#include "cli/attach/stopped_registers.h"
#include "cli/target/attachment_copy.h"
#include "cli/target/target.h"

#define ANSWER_NS UINT64_C(10000000000)
#define CALL_STOP (SIGTRAP | 0x80)

/* One thread and its saved signal mask. */
struct stack_query {
	struct tracer *tracer;
	struct tracee *thread;
	uint64_t signals;
};

/*
 * Returns the registers and mask that the thread restores by itself if no
 * controller does. An interrupted system call then restarts.
 */
static struct wire_stack_query restored_state_of(
	const struct stack_query *query)
{
	const struct user_regs_struct from =
		restarted_call(&query->thread->registers);

	return (struct wire_stack_query){
		.signals = query->signals,
		/* In the order of query_stack.S. */
		.registers = {
			from.rax,
			from.rcx,
			from.rdx,
			from.rsi,
			from.rdi,
			from.r10,
			from.r11,
			from.rip,
		},
	};
}

static int set_signals(const struct stack_query *query, uint64_t signals)
{
	return ptrace(PTRACE_SETSIGMASK, query->thread->tid,
		      (long)sizeof(signals), &signals) == 0;
}

/*
 * Sends the thread to query_stack.S. The mask comes last, because that code
 * unblocks signals by itself.
 */
static int send(const struct stack_query *query,
		const struct wire_attachment *attachment)
{
	struct user_regs_struct registers = query->thread->registers;
	const struct wire_stack_query state = restored_state_of(query);

	registers.rip = attachment->query_code;
	registers.rax = 0;
	registers.orig_rax = (uint64_t)-1;
	return target_write(query->tracer->memory, attachment->query, &state,
			    sizeof(state)) == 0 &&
	       ptrace(PTRACE_SETREGS, query->thread->tid, 0, &registers) == 0 &&
	       set_signals(query, ~UINT64_C(0));
}

/*
 * Lets the thread continue until its next stop. Returns the wait status, or 0
 * if the thread has exited or does not stop.
 */
static int go_on(const struct stack_query *query, int request)
{
	struct tracee *thread = query->thread;
	int status;

	if (ptrace(request, thread->tid, 0, 0) != 0)
		return 0;
	status =
		tracer_wait(query->tracer, thread, tracer_now_ns() + ANSWER_NS);
	if (!status && !thread->is_gone)
		thread->is_gone = query->tracer->is_stuck = 1;
	return status;
}

/*
 * Lets the thread continue to the end of its first system call. Returns the
 * wait status of its last stop, or 0 like go_on().
 */
static int run(const struct stack_query *query)
{
	int status = go_on(query, PTRACE_SYSCALL);

	return status && WSTOPSIG(status) == CALL_STOP
		       ? go_on(query, PTRACE_SYSCALL)
		       : status;
}

/*
 * Stops the thread and restores the registers and mask that it had before
 * send(), so that an interrupted system call restarts.
 */
static void put_back(const struct stack_query *query, int status)
{
	const pid_t tid = query->thread->tid;

	while (status && status >> 16 != PTRACE_EVENT_STOP) {
		ptrace(PTRACE_INTERRUPT, tid, 0, 0);
		status = go_on(query, PTRACE_CONT);
	}
	if (!status)
		return;
	set_signals(query, query->signals);
	ptrace(PTRACE_SETREGS, tid, 0, &query->thread->registers);
}

/*
 * Returns the address of the thread's alternate stack, or 0 if the thread has
 * none or does not answer.
 */
static uint64_t query_stack(struct tracer *tracer, struct tracee *thread,
			    const struct wire_attachment *attachment)
{
	struct stack_query query = { tracer, thread, 0 };
	uint64_t stack = 0;
	int status;

	if (ptrace(PTRACE_GETSIGMASK, thread->tid, (long)sizeof(query.signals),
		   &query.signals) != 0)
		return 0;
	if (!send(&query, attachment)) {
		set_signals(&query, query.signals);
		ptrace(PTRACE_SETREGS, thread->tid, 0, &thread->registers);
		return 0;
	}
	status = run(&query);
	if (status && WSTOPSIG(status) == CALL_STOP)
		stack = attachment_copy_stack(tracer->memory, attachment);
	put_back(&query, status);
	return stack;
}

/*
 * Returns whether a thread has not yet restored its state, because an earlier
 * controller did not wait for it. The next thread's state would overwrite it.
 */
static int any_is_answering(const struct tracer *tracer, uint64_t code)
{
	for (size_t i = 0; i < tracer->count; i++) {
		const struct tracee *thread = &tracer->threads[i];

		if (!thread->is_gone && stopped_pc(&thread->registers) - code <
						WIRE_ATTACH_QUERY_BYTES)
			return 1;
	}
	return 0;
}

static int compare(const void *a, const void *b)
{
	const uint64_t *one = a, *other = b;

	return (*one > *other) - (*one < *other);
}

int shared_stacks_exist(struct tracer *tracer,
			const struct wire_attachment *attachment)
{
	uint64_t *stacks;
	size_t count = 0;
	int are_shared = 0;

	if (tracer->count < 2 || !attachment->query_code)
		return 0;
	if (any_is_answering(tracer, attachment->query_code))
		return -EAGAIN;
	stacks = memory_zeroed(tracer->count, sizeof(*stacks));
	/*
	 * The loop ends at a thread that does not answer, because that thread
	 * uses the memory for answers until it continues.
	 */
	for (size_t i = 0; i < tracer->count && !tracer->is_stuck; i++) {
		struct tracee *thread = &tracer->threads[i];
		const uint64_t stack =
			thread->is_gone
				? 0
				: query_stack(tracer, thread, attachment);

		if (stack)
			stacks[count++] = stack;
	}
	qsort(stacks, count, sizeof(*stacks), compare);
	for (size_t i = 1; i < count; i++)
		are_shared |= stacks[i] == stacks[i - 1];
	free(stacks);
	return tracer->is_stuck ? -EBUSY : are_shared;
}
