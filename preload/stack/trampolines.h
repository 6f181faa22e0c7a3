/* SPDX-License-Identifier: MIT */
/*
 * Creates trampolines (hot/trampoline.h).
 *
 * The code is created in chunks that are complete before they become
 * executable, so none is ever writable and executable. Records are taken and
 * linked without a lock. Any thread and any signal handler may call these
 * functions after trampolines_reserve().
 */
#ifndef CLEW_STACK_TRAMPOLINES_H
#define CLEW_STACK_TRAMPOLINES_H

#include "preload/hot/trampoline.h"

/*
 * Reserves memory for trampolines, unless that was done. Called where modules
 * are hooked. Without memory no trampolines are created.
 */
void trampolines_reserve(void);

/*
 * Returns the address of the trampoline for a shadow slot and the id of the
 * function that returns there, or 0 if there is no room for one more.
 */
uint64_t trampoline_for(const struct shadow_slot *slot, uint64_t id);

/*
 * Returns the address of a trampoline for the stub whose address `word` is in
 * the stack slot `at`, or 0. *expected is the id of the function that has this
 * slot, if the next inner slot has shown that id, or 0. *expected becomes the
 * id of the function's caller, unless the slot's shadow shows no call or none
 * with that id.
 */
uint64_t trampoline_of_slot(uint64_t at, uint64_t word, uint64_t *expected);

/*
 * Ensures that rt.call_ends() is called when the function with this slot
 * returns: the running function of the calling thread, which is about to jump
 * to another one. Returns false if trampolines do not report returns, if the
 * slot has no stub's address, or if there is no room.
 */
int trampolines_await(uint64_t *slot);

/*
 * Replaces stubs' addresses by trampolines, from a stack slot outwards, so that
 * any code may copy the frames. Ends at the first trampoline that the chain of
 * ids leads to, or where no return address to replace follows within 128 KiB.
 * Returns the slot of the running function, or 0 if it was not found.
 */
uint64_t trampolines_carry(const void *slot);

/*
 * Returns whether the stack slot `at` holds the trampoline of the function with
 * this id. `slot` is a slot of the running function, whose page is mapped; the
 * memory at `at` may be unmapped, unless it is on the thread's own stack.
 * On another stack this function returns false under a system call filter,
 * which may not permit to find out whether the memory is mapped.
 */
int trampolines_has(const void *slot, uint64_t at, uint64_t id);

/*
 * Restores the shadow near a stack pointer where the thread continues, from the
 * trampolines there. slice_end is the end of the slice of stack that was copied
 * back, or 0 if probably none was.
 */
void trampolines_settle(uint64_t stack, uint64_t slice_end);

/*
 * Does the same as trampolines_settle(stack, 0), but searches only the first
 * 512 bytes, and stops if the shadow of the first trampoline is right.
 */
void trampolines_settle_cheaply(uint64_t stack);

#endif
