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

/*
 * Where the shadow is, for the calling thread and those to come: at the place
 * of hot/shadow.h; where stacks begin below which all is elsewhere. 0 or -errno.
 * Calls libc.
 */
int thread_template_place_shadow(void);

#endif
