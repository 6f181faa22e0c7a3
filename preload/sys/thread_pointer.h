/* SPDX-License-Identifier: MIT */
/*
 * The thread pointer, which leads to thread-local storage: programs may have
 * another while they run code that knows it (arch_prctl(2), WRFSBASE). A signal
 * handler of ours that comes meanwhile puts the thread's own there, and what it
 * found back. By instructions, as a system call might not be allowed; where the
 * kernel does not let programs have them (before Linux 5.9) nothing is changed.
 */
#ifndef CLEW_SYS_THREAD_POINTER_H
#define CLEW_SYS_THREAD_POINTER_H

#include <stdint.h>

struct hot_thread;

/*
 * False if the calling thread is not the one with this tid and these variables;
 * then it has changed nothing. *theirs: for thread_pointer_put_back().
 */
int thread_pointer_take(const struct hot_thread *thread, uint32_t tid,
			uint64_t *theirs);

/* Whether the thread pointer leads to these variables. Makes no system call. */
int thread_pointer_is_of(const struct hot_thread *thread);

/* 0: it was the thread's own. */
void thread_pointer_put_back(uint64_t theirs);

/* Once, before main: AT_HWCAP2 of the auxiliary vector. */
void thread_pointer_learn(uint64_t hwcap2);

#endif
