/* SPDX-License-Identifier: MIT */
/*
 * Calling functions of another process in one of its threads.
 *
 * The call stands on the thread's stack as a signal handler's would: where it
 * returns, the thread restores all that it had, whether anybody waits for that
 * or not. So a controller that is killed leaves a thread that goes on. Signals
 * wait meanwhile, whatever the call does with the thread's mask.
 */
#ifndef CLEW_CLI_ATTACH_REMOTE_CALL_H
#define CLEW_CLI_ATTACH_REMOTE_CALL_H

#include "cli/attach/tracer.h"

#define REMOTE_ARGUMENTS 2

struct remote_call {
	struct tracer *tracer;
	struct tracee *thread;
	uint64_t restorer; /* where the frame of a signal is taken off */
	/* What the thread had. */
	unsigned char *vectors;
	size_t vector_bytes;
	uint64_t signals;
	/* Where things go. */
	uint64_t data, state, frame;
	uint64_t errno_at; /* of that thread */
	int32_t saved_errno;
	int is_to_stop; /* SIGSTOP has come meanwhile */
};

/* The code by which libc's signal handlers return: __restore_rt(). */
extern const unsigned char remote_restorer_code[];
extern const size_t remote_restorer_bytes;

/* How much of the stack is used before a function is called. */
#define REMOTE_STACK_BYTES 16384

/*
 * Make a stopped thread ready for calls, with so many bytes of data on its stack
 * that it can be told of. 0 or -errno.
 */
int remote_begin(struct remote_call *call, const void *data, size_t bytes);

/* Put everything back: the thread is stopped as before. */
void remote_end(struct remote_call *call);

/*
 * Have it call a function, whose result is lost: to stop it where it returns
 * would take single steps, or a breakpoint, by which the thread would die of SIGTRAP
 * if the controller is killed meanwhile. 0; -ETIMEDOUT when it has not
 * returned in time, and goes on by itself; -ESRCH when the
 * thread is gone; -EFAULT when it crashed.
 */
int remote_run(struct remote_call *call, uint64_t function,
	       const uint64_t arguments[REMOTE_ARGUMENTS],
	       uint64_t patience_ns);

#endif
