/* SPDX-License-Identifier: MIT */
/*
 * The thread pointer (fs on x86-64), through which thread-local variables are
 * found. A program may set another value for code that does not use them
 * (arch_prctl(2), WRFSBASE). A signal handler of clew's that interrupts such
 * code sets the thread's own pointer, and restores the former one afterwards.
 * Both are done by instructions, because a system call might not be allowed. If
 * the kernel does not permit these instructions (before Linux 5.9), nothing is
 * changed.
 */
#ifndef CLEW_SYS_THREAD_POINTER_H
#define CLEW_SYS_THREAD_POINTER_H

#include <stdint.h>

struct hot_thread;

/*
 * Sets the thread pointer of the calling thread to its own value, and stores
 * the former value in *theirs, for thread_pointer_put_back(). Returns false and
 * changes nothing if the calling thread does not have this tid and these
 * variables.
 */
int thread_pointer_take(const struct hot_thread *thread, uint32_t tid,
			uint64_t *theirs);

/*
 * Returns whether the thread pointer leads to these variables. Makes no system
 * call.
 */
int thread_pointer_is_of(const struct hot_thread *thread);

/*
 * Restores the thread pointer. Does nothing if `theirs` is 0, because the
 * pointer was the thread's own.
 */
void thread_pointer_put_back(uint64_t theirs);

/*
 * Called before main or when clew attaches, with AT_HWCAP2 of the auxiliary
 * vector.
 */
void thread_pointer_learn(uint64_t hwcap2);

#endif
