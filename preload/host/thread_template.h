/* SPDX-License-Identifier: MIT */
/*
 * What threads are born with.
 *
 * struct hot_thread has its initial values from the library's TLS image. A
 * word that must hold another value in every thread is changed there, before
 * the program has made any thread but the first.
 */
#ifndef CLEW_HOST_THREAD_TEMPLATE_H
#define CLEW_HOST_THREAD_TEMPLATE_H

#include <stdint.h>

struct hot_thread;

/* Look for them, once. 0 or -ENOENT. Calls libc. */
int thread_template_find(void);

/* Where their initial values are, once found. */
uint64_t thread_template_at(void);

/* The variables of the thread with this control block. */
struct hot_thread *thread_template_of(uint64_t block);

/* They are as a new thread's, which is stopped or the calling one. Once found. */
void thread_template_copy(uint64_t block);

/*
 * Where the shadow is, for the calling thread and those to come: at the place
 * of hot/shadow.h; where stacks begin below which all is elsewhere. 0 or -errno.
 * Calls libc.
 */
int thread_template_place_shadow(void);

#endif
