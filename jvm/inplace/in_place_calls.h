/* SPDX-License-Identifier: MIT */
/*
 * Calls of compiled methods that their stubs (in_place_code.h) do not count by
 * themselves. The stubs call these functions on the Java stack: no libc,
 * general registers only. `slot` is the address of the return address.
 */
#ifndef CLEW_JVM_INPLACE_IN_PLACE_CALLS_H
#define CLEW_JVM_INPLACE_IN_PLACE_CALLS_H

#include <stdint.h>

/*
 * Does the whole entry of a call if the innermost call has ended unseen,
 * because the JVM has moved its compiled frame to the interpreter. The lower
 * half of `name` is the stub's serial, the upper half is the method's number.
 */
void in_place_enter(uint64_t slot, uint64_t name);

/* Counts a call whose id the stub has set but not found in the table. */
void in_place_miss(uint64_t slot);

/* Handles a call whose countdown has expired, and draws the next countdown. */
void in_place_due(void);

#endif
