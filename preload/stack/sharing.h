/* SPDX-License-Identifier: MIT */
/*
 * Two threads with one thread pointer.
 *
 * clone(CLONE_VM) without CLONE_SETTLS creates a thread, or a process in the
 * same memory, that shares all thread-local storage with its creator, including
 * the id and the count table. While both run neither can be right. Therefore
 * nothing is counted, and all calls are reported as lost, until the kernel
 * knows no other sharer. Ids that were stored meanwhile may belong to any of
 * them. The creator counts again from its first call that is further out than
 * all these, below a function that was active before.
 */
#ifndef CLEW_STACK_SHARING_H
#define CLEW_STACK_SHARING_H

#include <stdint.h>

#define SHARING_UNKNOWN (-1)

/*
 * Begins sharing: the calling thread is about to create such a child, in a
 * function whose stack is below `stack`. Returns the child's index for
 * sharing_with(), or SHARING_UNKNOWN if there are too many at once to see them
 * end; the thread then never counts again.
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
