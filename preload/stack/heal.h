/* SPDX-License-Identifier: MIT */
/*
 * Putting a thread's id right after an exception whose landing clew was not told
 * of (landing.h): the id then speaks of a function that is gone.
 *
 * That is so where the unwinder, or a personality routine, is linked into the
 * program. But each asks where unwind information is before it lands
 * (front/frames_find.c). From then on the thread's calls take the slow path, which
 * looks whether the function that the id speaks of is still running below the
 * call; once it is not, the thread has landed, and the stack tells which function
 * goes on. A thread that ends by pthread_exit() or is cancelled lands in libc
 * without such a question: so new contexts right below a thread's beginning are
 * looked at in any case.
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
