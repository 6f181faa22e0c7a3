/* SPDX-License-Identifier: MIT */
/*
 * Reads stacks of a stopped process in a worker (symbolizer/worker.h).
 *
 * The process chose its stacks and its unwind information, and libunwind may have
 * faults. The worker therefore can only read the memory of that process and compute;
 * seccomp forbids all else. Its answer is in memory that it shares with clew, and is as
 * untrusted as the process: the caller checks every number in there.
 */
#ifndef CLEW_CLI_STACK_READER_H
#define CLEW_CLI_STACK_READER_H

#include <stddef.h>

/* Runs in the worker. The answer is zeroed before. */
typedef void (*stack_reading)(const void *request, void *answer);

/*
 * Runs it once. `memory` is the open /proc/PID/mem, the only descriptor that the worker
 * has. Only then *answer, of so many bytes, is there, and no worker changes it any more:
 * stack_reader_free() it. 0; or -errno and *why, which says how the worker ended.
 */
int stack_reader_run(int memory, stack_reading read, const void *request,
		     size_t bytes, void **answer, char **why);
void stack_reader_free(void *answer, size_t bytes);

#endif
