/* SPDX-License-Identifier: MIT */
/*
 * The id after an unwinder has landed where nobody sees it.
 *
 * Most landings are announced (landing.h). Those of an unwinder inside the
 * program, and of libc when it ends a thread, are not: but each asks where
 * unwind information is before it lands (frames_find.c). From then on the
 * thread's calls take the slow path, which looks whether the function that the
 * id speaks of is still running below the call; once it is not, the thread
 * has landed, and the stack tells who it is that goes on.
 */
#ifndef CLEW_PRELOAD_HEAL_H
#define CLEW_PRELOAD_HEAL_H

/* The calling thread is being unwound and may land. Safe anywhere. */
void heal_expect_landing(void);

/* It has landed, and its id is right. */
void heal_trust(void);

#endif
