/* SPDX-License-Identifier: MIT */
/*
 * The id after an unwinder has landed where nobody sees it.
 *
 * Most landings are announced (landing.h). Those of an unwinder, or with a
 * personality routine, that is linked into the program are not: but each asks where
 * unwind information is before it lands (frames_find.c). From then on the
 * thread's calls take the slow path, which looks whether the function that the
 * id speaks of is still running below the call; once it is not, the thread
 * has landed, and the stack tells who it is that goes on. A thread that ends by
 * pthread_exit or cancellation lands in libc without asking: what is called
 * right below the thread's beginning is looked at when it is new.
 */
#ifndef CLEW_STACK_HEAL_H
#define CLEW_STACK_HEAL_H

#include "preload/sys/range.h"

/* The calling thread is being unwound and may land. Safe anywhere. */
void heal_expect_landing(void);
int heal_is_landing_expected(void);

/*
 * An unwinder in a module's code whose landings are announced, by a probe. Not
 * thread-safe but for heal_is_watched(), which may be asked at any time.
 */
void heal_watch(const struct pc_range *code);
void heal_forget(const struct pc_range *code);
int heal_is_watched(uint64_t pc);

/* It has landed, and its id is right; or nobody was going to land. */
void heal_cancel(void);

#endif
