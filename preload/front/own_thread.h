/* SPDX-License-Identifier: MIT */
/*
 * A thread of clew's own that libc makes, as what it calls (the loader, a language's
 * runtime) wants to know of it what libc does. (task.h has those that call nothing.)
 *
 * In a thread that a controller has borrowed. pthread_create() may be another library's
 * than libc's: jemalloc's takes locks and changes the thread's mask.
 */
#ifndef CLEW_FRONT_OWN_THREAD_H
#define CLEW_FRONT_OWN_THREAD_H

/*
 * A thread that does that, all signals blocked. What it calls is not counted, and nobody
 * waits for its end. 0, or an error as of pthread_create().
 */
int own_thread_make(void (*does)(void));

#endif
