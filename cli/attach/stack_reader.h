/* SPDX-License-Identifier: MIT */
/*
 * Reads stacks of a stopped process in a worker (symbolizer/indexer/worker.h).
 *
 * The process chose its stacks and its unwind information, and libunwind may have
 * faults. The worker therefore can only read the memory of that process and compute;
 * seccomp forbids all else.
 *
 * Forking and confining a worker takes about a millisecond. The worker is therefore begun
 * before threads are stopped, and then waits for requests. Requests and answers are in
 * memory that it shares with clew. An answer is as untrusted as the process, and the worker
 * can change it at any time: the caller copies each number once, and checks the copy.
 */
#ifndef CLEW_CLI_ATTACH_STACK_READER_H
#define CLEW_CLI_ATTACH_STACK_READER_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Runs in the worker, for each request. The answer is not cleared before. */
typedef void (*stack_reading)(const void *context, const void *request,
			      void *answer);

/* Zero-initialise it: then there is no worker. */
struct stack_reader {
	pid_t worker; /* 0: there is none */
	struct stack_reader_memory *shared;
	size_t request_bytes, answer_bytes;
	uint32_t asked;   /* requests */
	uint64_t used_ns; /* that it took to answer them */
};

/*
 * Forks a worker, and returns once it is confined. `memory` is the open /proc/PID/mem, the
 * only descriptor of the worker. The worker reads *context, and what that points to, as they
 * are now. Does nothing if there is a worker that has most of its CPU time left. Returns 0,
 * or -errno and *why.
 */
int stack_reader_begin(struct stack_reader *reader, int memory,
		       stack_reading read, const void *context,
		       size_t request_bytes, size_t answer_bytes, char **why);

/*
 * Returns 0, and *answer, which is valid until the next call for this reader; or -errno and
 * *why, which says how the worker ended.
 */
int stack_reader_ask(struct stack_reader *reader, const void *request,
		     size_t bytes, const void **answer, char **why);

/* Ends the worker, if there is one. */
void stack_reader_end(struct stack_reader *reader);

#endif
