/* SPDX-License-Identifier: MIT */
/*
 * Reads stacks of a stopped process in a worker (symbolizer/indexer/worker.h).
 *
 * A hostile process controls the contents of its stacks and its unwind
 * information, and libunwind may have faults. Therefore seccomp restricts the
 * worker to reading the process's memory.
 *
 * Forking and confining a worker takes about a millisecond, so this is done
 * before threads are stopped. The worker then waits for requests. Requests and
 * answers are in memory that the worker and clew share. A worker under hostile
 * control can change an answer at any time, so the caller copies each number
 * once and checks the copy.
 */
#ifndef CLEW_CLI_ATTACH_STACK_READER_H
#define CLEW_CLI_ATTACH_STACK_READER_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Called in the worker for each request: reads *request and writes *answer,
 * which still contains the answer before.
 */
typedef void (*stack_reading)(const void *context, const void *request,
			      void *answer);

/* A zero-initialized reader has no worker. */
struct stack_reader {
	pid_t worker; /* 0 if there is none. */
	struct stack_reader_memory *shared;
	size_t request_bytes, answer_bytes;
	/* Number of requests; the start of the worker is the first one. */
	uint32_t asked;
	uint64_t used_ns; /* Total time that the answers took. */
};

/*
 * Forks a worker that calls read() for each request, and returns once the
 * worker is confined. `memory` is the open /proc/PID/mem, the worker's only
 * descriptor. As a forked process the worker has a copy of clew's memory,
 * including *context. Does nothing if there is a worker whose answers have
 * taken little time so far (used_ns). `threads_wait`: threads are stopped
 * meanwhile, so the worker has only the time of an answer to start. Returns 0,
 * or -errno and *why.
 */
int stack_reader_begin(struct stack_reader *reader, int memory,
		       stack_reading read, const void *context,
		       size_t request_bytes, size_t answer_bytes,
		       int threads_wait, char **why);

/*
 * Sends a request to the worker and waits for the answer. Returns 0 and
 * *answer, which is valid until the next call; or -errno and *why, which says
 * how the worker has ended.
 */
int stack_reader_ask(struct stack_reader *reader, const void *request,
		     size_t bytes, const void **answer, char **why);

/* Ends the worker, if any. */
void stack_reader_end(struct stack_reader *reader);

#endif
