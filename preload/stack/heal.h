/* SPDX-License-Identifier: MIT */
/*
 * Corrects a thread's id after an exception whose landing clew did not see
 * (landing.h), so that the id names a function that has ended.
 *
 * This happens if the unwinder, or a personality routine, is linked into the
 * program. But each unwinder looks up unwind information before it lands
 * (front/frames_find.c). From then on the thread's calls take the slow path,
 * which checks whether the function of the id still runs below the call. If it
 * does not, the thread has landed, and the stack shows which function
 * continues.
 *
 * A thread that ends by pthread_exit() or cancellation lands in libc without
 * such a look-up. Therefore new contexts directly below a thread's beginning
 * are always checked.
 */
#ifndef CLEW_STACK_HEAL_H
#define CLEW_STACK_HEAL_H

#include "preload/sys/range.h"

/*
 * Notes that the calling thread is being unwound and may land. Any thread and
 * any signal handler may call this function.
 */
void heal_expect_landing(void);
int heal_is_landing_expected(void);

/*
 * Registers and unregisters the code of an unwinder whose landings a probe
 * reports. Not thread-safe, except heal_is_watched(), which may be called at
 * any time.
 */
void heal_watch(const struct pc_range *code);
void heal_forget(const struct pc_range *code);
int heal_is_watched(uint64_t pc);

/* Ends the doubt: the thread has landed with the right id, or will not land. */
void heal_cancel(void);

#endif
