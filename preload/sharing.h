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
#ifndef CLEW_PRELOAD_SHARING_H
#define CLEW_PRELOAD_SHARING_H

#include <stdint.h>

/*
 * The calling thread is about to make such a child, in a function whose stack
 * is below `stack`.
 */
void sharing_begin(uint64_t stack);

/* It has made one, or failed to: tid < 0. */
void sharing_with(int tid);

#endif
