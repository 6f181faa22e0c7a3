/* SPDX-License-Identifier: MIT */
/*
 * Work that takes long, done in slices by threads that have something else to do: a
 * function on a stack of its own, which rests now and then.
 *
 *	thread A   slices_go_on() ---.            .--> returns 0: not done
 *	                              switch   switch
 *	own stack              function() . slices_rest() . . . goes on . . . ends
 *	                                               switch           switch
 *	thread B                        slices_go_on() ---'                '--> returns 1
 *
 * Another thread may go on than the one that began: so no address of a thread-local
 * variable, no errno and no thread's id is to be kept where the function rests. It
 * holds no lock there that its thread wants otherwise. There is one such work at a
 * time, and who begins it and goes on with it takes turns with others by himself.
 */
#ifndef CLEW_SYS_SLICES_H
#define CLEW_SYS_SLICES_H

#include <stdint.h>

/* Nothing runs yet. 0; or -ENOMEM. */
int slices_begin(void (*function)(void *), void *argument);

/* Whether the work was begun, and has neither ended nor been forgotten. */
int slices_are_left(void);

/* Go on for so long, of this thread's CPU time, and to the next rest. 1: it has ended. */
int slices_go_on(uint64_t cpu_ns);

/* In the work: if the time is over, the thread does something else first. */
void slices_rest(void);

/* It is not gone on with; what it has taken is lost. */
void slices_forget(void);

#endif
