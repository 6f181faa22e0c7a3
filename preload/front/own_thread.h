/* SPDX-License-Identifier: MIT */
/*
 * Creates threads of clew's own by pthread_create(). These threads call
 * functions of the loader or of a language runtime, which need libc's data
 * about the thread. (The tasks of task.h have no such data.)
 *
 * A thread of the program that the controller has borrowed creates them.
 * pthread_create() may belong to another library than libc: jemalloc's takes
 * locks and changes the thread's signal mask.
 */
#ifndef CLEW_FRONT_OWN_THREAD_H
#define CLEW_FRONT_OWN_THREAD_H

/*
 * Creates a thread that calls `does`, with all signals blocked. Calls in it are
 * not counted, and no thread waits for its end. Returns 0, or an error of
 * pthread_create().
 */
int own_thread_make(void (*does)(void));

#endif
