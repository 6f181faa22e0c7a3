/* SPDX-License-Identifier: MIT */
/*
 * Reads stacks of a stopped process in a worker (symbolizer/indexer/worker.h).
 *
 * The process controls its stacks and its unwind information, and libunwind may
 * have faults. Therefore seccomp restricts the worker to reading that process's
 * memory.
 *
 * Forking and confining a worker takes about a millisecond, so this is done
 * before threads are stopped. The worker then waits for requests. Requests and
 * answers are in memory shared with clew. The worker can change an answer at
 * any time: the caller copies each number once, and checks the copy.
 */
#ifndef CLEW_CLI_ATTACH_STACK_READER_H
#define CLEW_CLI_ATTACH_STACK_READER_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Runs in the worker for each request. The answer is not zeroed. */
typedef void (*stack_reading)(const void *context, const void *request,
			      void *answer);

/* A zero-initialized reader has no worker. */
struct stack_reader {
	pid_t worker; /* 0 if there is none. */
	struct stack_reader_memory *shared;
	size_t request_bytes, answer_bytes;
	uint32_t asked;   /* Number of requests. */
	uint64_t used_ns; /* Time that the answers took. */
};

/*
 * Forks a worker, and returns once it is confined. `memory` is the open
 * /proc/PID/mem, the worker's only descriptor. The worker has a copy of
 * *context and all that it points to. Does nothing if a worker exists that has
 * most of its CPU time left. Returns 0, or -errno and *why.
 */
int stack_reader_begin(struct stack_reader *reader, int memory,
		       stack_reading read, const void *context,
		       size_t request_bytes, size_t answer_bytes, char **why);

/*
 * Returns 0 and *answer, which is valid until the next call; or -errno and
 * *why, which says how the worker ended.
 */
int stack_reader_ask(struct stack_reader *reader, const void *request,
		     size_t bytes, const void **answer, char **why);

/* Ends the worker, if any. */
void stack_reader_end(struct stack_reader *reader);

#endif
