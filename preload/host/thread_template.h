/* SPDX-License-Identifier: MIT */
/*
 * The initial values of new threads.
 *
 * struct hot_thread has its initial values in the library's TLS image. A word
 * that needs another value in every thread is changed there, before the program
 * creates its second thread, or before clew enters the threads of an attached
 * process.
 */
#ifndef CLEW_HOST_THREAD_TEMPLATE_H
#define CLEW_HOST_THREAD_TEMPLATE_H

#include <stdint.h>

struct hot_thread;

/* Finds the initial values. Returns 0 or -ENOENT. Calls libc. */
int thread_template_find(void);

/* Returns the address of the initial values, once they are found. */
uint64_t thread_template_at(void);

/* Returns the variables of the thread with this control block. */
struct hot_thread *thread_template_of(uint64_t block);

/*
 * Sets a thread's variables to the initial values, which must have been found.
 * The thread is stopped, or is the calling one.
 */
void thread_template_copy(uint64_t block);

/*
 * Stores the shadow's address, and the address below which stacks have their
 * shadow in pieces (hot/shadow.h), for the calling thread and all later
 * threads. Returns 0 or -errno. Calls libc.
 */
int thread_template_place_shadow(void);

#endif
