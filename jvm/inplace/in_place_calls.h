/* SPDX-License-Identifier: MIT */
/*
 * Calls of compiled methods that their stubs (in_place_code.h) do not count by themselves.
 * From these, on the stack of Java: no libc, general registers only. slot: where the
 * return address is.
 */
#ifndef CLEW_JVM_INPLACE_IN_PLACE_CALLS_H
#define CLEW_JVM_INPLACE_IN_PLACE_CALLS_H

#include <stdint.h>

/*
 * The whole entry of a call, where the one that is innermost has ended unseen, as methods do
 * whose compiled code the machine has left for its interpreter. name: the serial of the stub,
 * and in the upper half the method's number.
 */
void in_place_enter(uint64_t slot, uint64_t name);

/* The thread has the call's id, which the stub has not found in the table. */
void in_place_miss(uint64_t slot);

/* Likewise one that was to be looked at: the next is drawn. */
void in_place_due(void);

#endif
