/* SPDX-License-Identifier: MIT */
/*
 * Slices: short pieces of a long piece of work. The work is a function that
 * runs on a stack of its own. Threads of the program run it, one slice at a
 * time, and continue with their own code between slices.
 *
 *	thread A   slices_go_on() -.         .-> returns 0: not done
 *	                            switch  switch
 *	own stack        function() .. slices_rest() .. continues .. ends
 *	                                        switch         switch
 *	thread B                  slices_go_on() --'              '-> returns 1
 *
 * Another thread may continue the work. Therefore the function must not keep
 * the address of a thread-local variable, errno or a tid across slices_rest(),
 * nor a lock that its thread otherwise needs. There is only one such piece of
 * work at a time. The callers of these functions ensure that only one thread
 * runs it.
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
 * Runs the work until it ends, or until it calls slices_rest() after this much
 * CPU time of the calling thread. Returns 1 if the work has ended, else 0.
 */
int slices_go_on(uint64_t cpu_ns);

/*
 * Called by the work, at points where it may be interrupted. If the slice's
 * time is over, slices_go_on() returns in the thread, and this call returns in
 * the next slice.
 */
void slices_rest(void);

/* Abandons the work; its resources are lost. */
void slices_forget(void);

#endif
