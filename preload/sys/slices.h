/* SPDX-License-Identifier: MIT */
/*
 * Slices: long work, done in short pieces by threads that have other tasks. The
 * work is a function on a stack of its own, which rests at times.
 *
 *	thread A   slices_go_on() ---.            .--> returns 0: not done
 *	                              switch   switch
 *	own stack              function() . slices_rest() . . . continues . . ends
 *	                                               switch           switch
 *	thread B                        slices_go_on() ---'                '--> returns 1
 *
 * Another thread may continue the work. Therefore the function must not hold an
 * address of a thread-local variable, errno or a tid across a rest, nor a lock
 * that its thread otherwise needs. There is one such work at a time, and the
 * code that begins and continues it ensures mutual exclusion.
 */
#ifndef CLEW_SYS_SLICES_H
#define CLEW_SYS_SLICES_H

#include <stdint.h>

/* Prepares the work without running it. Returns 0 or -ENOMEM. */
int slices_begin(void (*function)(void *), void *argument);

/*
 * Returns whether the work was begun, and has neither ended nor been forgotten.
 */
int slices_are_left(void);

/*
 * Continues the work for this much CPU time of the thread, up to the next rest.
 * Returns 1 if it has ended.
 */
int slices_go_on(uint64_t cpu_ns);

/*
 * Called by the work: if the time is over, returns the thread to its caller
 * first.
 */
void slices_rest(void);

/* Abandons the work; its resources are lost. */
void slices_forget(void);

#endif
