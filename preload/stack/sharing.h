/* SPDX-License-Identifier: MIT */
/*
 * Threads that have the same thread pointer, and therefore the same
 * thread-local variables.
 *
 * clone(CLONE_VM) without CLONE_SETTLS creates a thread, or a process in the
 * same memory, that shares all thread-local storage with its creator, including
 * the id and the count table. While both run, the id and the table are right
 * for neither. Therefore nothing is counted, and all calls are reported as
 * lost, until no other sharer exists in the kernel. Ids that were stored in the
 * shadow meanwhile may belong to any sharer. Therefore the creator counts again
 * only when it makes a call from a function that was active when sharing began.
 */
#ifndef CLEW_STACK_SHARING_H
#define CLEW_STACK_SHARING_H

#include <stdint.h>

#define SHARING_UNKNOWN (-1)

/*
 * Begins sharing: the calling thread is about to create a thread or process
 * that will have the same thread pointer, in a function whose stack is below
 * `stack`. Returns the child's index for sharing_with(), or SHARING_UNKNOWN if
 * there is no room to record its tid; unless creating the child fails, the
 * thread then never counts again.
 */
int sharing_begin(uint64_t stack);

/* Stores the tid of the created child. tid < 0: creating it has failed. */
void sharing_with(int place, int tid);

/*
 * Forgets all sharers: the calling thread is alone, in a forked child or as a
 * new thread.
 */
void sharing_forget(void);

#endif
