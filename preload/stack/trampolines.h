/* SPDX-License-Identifier: MIT */
/*
 * Making trampolines (hot/trampoline.h).
 *
 * Their code is made ready in chunks that are complete before they are
 * mapped, so that none is ever writable and executable; records are taken and
 * chained without a lock. Any thread, in signal handlers, any time after
 * trampolines_reserve().
 */
#ifndef CLEW_STACK_TRAMPOLINES_H
#define CLEW_STACK_TRAMPOLINES_H

#include "preload/hot/trampoline.h"

/*
 * Room for trampolines, if there is none yet. Called where modules are hooked;
 * without room nothing is carried.
 */
void trampolines_reserve(void);

/*
 * The address of the trampoline for what a shadow slot holds, below which the
 * function with this id runs. 0 if there is no room for one more.
 */
uint64_t trampoline_for(const struct shadow_slot *slot, uint64_t id);

/*
 * The address of one for the stub that waits at a stack slot, whose word that
 * is; 0 also if none waits there. *expected: the id of the function there, as
 * the slot inside of it told, or 0; becomes that of its caller.
 */
uint64_t trampoline_of_slot(uint64_t at, uint64_t word, uint64_t *expected);

/*
 * Make sure that rt.call_ends() is called when the function returns whose
 * return address is at this slot: the running function of the calling thread, which is about
 * to jump to another one. False if the slot has no stub's address, or if there is no room.
 */
int trampolines_await(uint64_t *slot);

/*
 * Let the calling thread's functions, from a stack slot outwards, wait at
 * trampolines instead of stubs, so that their frames may be copied by whatever
 * code. Ends at the first that does already.
 */
void trampolines_carry(const void *slot);

/*
 * The thread goes on at this stack pointer: let the shadow of what waits there
 * be as its trampolines say. slice_end: of the slice of stack that was copied
 * back there, as far as is known; 0 where most probably none was.
 */
void trampolines_settle(uint64_t stack, uint64_t slice_end);

/* The same as of 0, at less cost. */
void trampolines_settle_cheaply(uint64_t stack);

#endif
