/* SPDX-License-Identifier: MIT */
/*
 * Creates a thread of clew's own through libc, because the functions that it
 * calls (of the loader or of a language's runtime) need libc's data about the
 * thread. (Threads of task.h call no such functions.)
 *
 * It is created by a thread that a controller has borrowed. pthread_create()
 * may belong to another library than libc: jemalloc's takes locks and changes
 * the thread's signal mask.
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
