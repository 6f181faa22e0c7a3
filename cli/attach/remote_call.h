/* SPDX-License-Identifier: MIT */
/*
 * Calls functions of another process in one of its threads.
 *
 * The call is placed on the thread's stack as a signal handler's would be: when
 * the function returns, the thread restores its own state, even if no
 * controller waits. A killed controller therefore leaves a thread that
 * continues. Signals stay blocked meanwhile, even if the function changes the
 * thread's mask.
 */
#ifndef CLEW_CLI_ATTACH_REMOTE_CALL_H
#define CLEW_CLI_ATTACH_REMOTE_CALL_H

#include "cli/attach/tracer.h"

#define REMOTE_ARGUMENTS 2

struct remote_call {
	struct tracer *tracer;
	struct tracee *thread;
	uint64_t restorer; /* Code that removes a signal frame. */
	/* The thread's state before the call. */
	unsigned char *vectors;
	size_t vector_bytes;
	uint64_t signals;
	/* Addresses on the thread's stack. */
	uint64_t data, state, frame;
	uint64_t errno_at; /* Address of the thread's errno. */
	int32_t saved_errno;
	int is_to_stop; /* SIGSTOP arrived during the call. */
};

/* The code to which libc's signal handlers return: __restore_rt(). */
extern const unsigned char remote_restorer_code[];
extern const size_t remote_restorer_bytes;

/* Stack bytes that are used before the function is called. */
#define REMOTE_STACK_BYTES 16384

/*
 * Prepares a stopped thread for calls, and copies `bytes` of data to its stack.
 * Returns 0 or -errno.
 */
int remote_begin(struct remote_call *call, const void *data, size_t bytes);

/* Restores everything: the thread is stopped as before. */
void remote_end(struct remote_call *call);

/*
 * Makes the thread call a function. The function's result is lost: to stop the
 * thread at the return would take single steps or a breakpoint, and a
 * breakpoint would kill the process if the controller were killed. Returns 0;
 * -ETIMEDOUT if the function has not returned in time and continues by itself;
 * -ESRCH if the thread has exited; -EFAULT if the function crashed.
 */
int remote_run(struct remote_call *call, uint64_t function,
	       const uint64_t arguments[REMOTE_ARGUMENTS],
	       uint64_t patience_ns);

#endif
