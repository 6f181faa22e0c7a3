/* SPDX-License-Identifier: MIT */
/*
 * Calls functions of another process in one of its threads.
 *
 * The call is prepared on the thread's stack like the call of a signal handler:
 * when the function returns, the thread itself restores its former state. So
 * the thread also continues correctly if the controller is killed during the
 * call. All signals stay blocked during the call, even if the function changes
 * the thread's mask.
 */
#ifndef CLEW_CLI_ATTACH_REMOTE_CALL_H
#define CLEW_CLI_ATTACH_REMOTE_CALL_H

#include "cli/attach/tracer.h"

#define REMOTE_ARGUMENTS 2

struct remote_call {
	struct tracer *tracer;
	struct tracee *thread;
	/* Address of libc's code that returns from a signal handler. */
	uint64_t restorer;
	/* The thread's state before the call. */
	unsigned char *vectors;
	size_t vector_bytes;
	uint64_t signals;
	/*
	 * Addresses on the thread's stack: of the caller's data, of the saved
	 * state of vector registers, and of the signal frame.
	 */
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
 * Prepares the stopped thread call->thread for calls, and copies `bytes` bytes
 * of data to its stack, to address call->data. Returns 0 or -errno.
 */
int remote_begin(struct remote_call *call, const void *data, size_t bytes);

/*
 * Restores the thread's registers, signal mask and errno. The thread stays
 * stopped, where it was before remote_begin().
 */
void remote_end(struct remote_call *call);

/*
 * Makes the thread call a function. The function's result cannot be read:
 * stopping the thread at the return would need single steps, or a breakpoint,
 * which would kill the process if the controller were killed. Returns 0;
 * -ETIMEDOUT if the function has not returned in time and continues by itself;
 * -ESRCH if the thread has exited; -EFAULT if the function crashed.
 */
int remote_run(struct remote_call *call, uint64_t function,
	       const uint64_t arguments[REMOTE_ARGUMENTS],
	       uint64_t patience_ns);

#endif
