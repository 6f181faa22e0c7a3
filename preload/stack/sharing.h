/* SPDX-License-Identifier: MIT */
/*
 * Two threads with one thread pointer.
 *
 * clone(CLONE_VM) without CLONE_SETTLS makes a thread, or a process in the
 * same memory, that shares all thread-local storage with its maker, the id
 * and the table of counts included. While both run neither can be right: so
 * nothing is counted, all calls are lost and said to be, until the kernel
 * knows of nobody else. Ids that were stored meanwhile may be anybody's; so
 * the maker goes on at its first call further out than all those, below a
 * function that it was in before.
 */
#ifndef CLEW_STACK_SHARING_H
#define CLEW_STACK_SHARING_H

#include <stdint.h>

#define SHARING_UNKNOWN (-1)

/*
 * The calling thread is about to make such a child, in a function whose stack
 * is below `stack`. Returns the child's place among those that are known, for
 * sharing_with(). SHARING_UNKNOWN: there are too many at once to know when they
 * will have gone, so that this thread counts nothing any more.
 */
int sharing_begin(uint64_t stack);

/* The child has been made, or it could not be: tid < 0. */
void sharing_with(int place, int tid);

/* The calling thread is alone: in a forked child, or as a new thread. */
void sharing_forget(void);

#endif
