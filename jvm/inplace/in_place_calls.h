/* SPDX-License-Identifier: MIT */
/*
 * Calls of compiled methods that their stubs (in_place_code.h) do not count by
 * themselves. The stubs call these functions on the Java stack, so the
 * functions do not call libc and use general registers only. `slot` is the
 * address of the return address.
 */
#ifndef CLEW_JVM_INPLACE_IN_PLACE_CALLS_H
#define CLEW_JVM_INPLACE_IN_PLACE_CALLS_H

#include <stdint.h>

/*
 * Enters and counts a call. Stubs use it if the thread's innermost active call
 * has ended without its exit, because the JVM has replaced its compiled frame
 * by an interpreted one, or if the slot has no reserved shadow; in the latter
 * case the call is only counted as lost (record_want_of_room()). The lower 32
 * bits of `name` are the stub's serial, the upper 32 bits are the method's
 * number.
 */
void in_place_enter(uint64_t slot, uint64_t name);

/*
 * Counts a call whose data the stub has stored, but whose id is not at its home
 * in the count table, or whose thread is in doubt about its stack
 * (switch_doubt_less()).
 */
void in_place_miss(uint64_t slot);

/*
 * Draws the next countdown for the thread's present context, after a call whose
 * countdown has expired. The call is not verified.
 */
void in_place_due(void);

#endif
