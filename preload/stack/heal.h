/* SPDX-License-Identifier: MIT */
/*
 * Corrects a thread's id after an exception if clew did not notice where the
 * exception was caught (its landing, landing.h). The id then still names a
 * function that has ended.
 *
 * This happens if the unwinder, or a personality routine, is linked into the
 * program. But such an unwinder usually looks up unwind information through
 * libc before it lands (front/frames_find.c). From then on the thread is "in
 * doubt": its next calls take the slow path, which checks whether the function
 * of the id still runs below the call. If it does not, the thread has landed,
 * and the stack shows which function continues.
 *
 * A thread that ends by pthread_exit() or cancellation lands in libc without
 * such a look-up. Therefore new contexts whose slot is near the beginning of a
 * thread's stack are also checked without doubt.
 */
#ifndef CLEW_STACK_HEAL_H
#define CLEW_STACK_HEAL_H

#include "preload/sys/range.h"

/*
 * heal_expect_landing() notes that an exception is being unwound in the calling
 * thread, so that the thread may land: the thread is then in doubt. It does
 * nothing if the thread is muted or under a system call filter.
 * heal_is_landing_expected() returns whether the thread is in doubt. Signal
 * handlers may call these functions.
 */
void heal_expect_landing(void);
int heal_is_landing_expected(void);

/*
 * Register and unregister the code of an unwinder that reports its landings by
 * a probe (landing_on_set_ip()). Only one thread at a time may call these two.
 * If too many are registered already, heal_watch() does nothing.
 * heal_is_watched() returns whether pc is in such code, and may be called at
 * any time.
 */
void heal_watch(const struct pc_range *code);
void heal_forget(const struct pc_range *code);
int heal_is_watched(uint64_t pc);

/*
 * States that the calling thread keeps a list of return addresses in this part
 * of its stack: addresses of stubs in this part do not belong to active calls.
 * Returns the part that was stated before, which the caller states again when
 * its own list ends. Signal handlers may call this function.
 */
struct pc_range heal_pass_over(struct pc_range list);

/* Ends the doubt: the thread has landed with the right id, or will not land. */
void heal_cancel(void);

#endif
