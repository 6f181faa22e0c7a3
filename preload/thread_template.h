/* SPDX-License-Identifier: MIT */
/*
 * What threads are born with.
 *
 * struct hot_thread has its initial values from the library's TLS image. A
 * word that must hold another value in every thread is changed there, before
 * the program has made any thread but the first.
 */
#ifndef CLEW_PRELOAD_THREAD_TEMPLATE_H
#define CLEW_PRELOAD_THREAD_TEMPLATE_H

/*
 * Let stubs take every stack for one that is elsewhere (hot/shadow.h): in the
 * calling thread and in those to come. 0 or -errno. Calls libc.
 */
int thread_template_go_elsewhere(void);

#endif
