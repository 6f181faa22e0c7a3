/* SPDX-License-Identifier: MIT */
/*
 * The beginning of stacks that makecontext() has created.
 *
 * The first function of such a stack returns to a function of libc. Walks
 * recognize this address and end there. The caller of the first function is the
 * function that switched to the stack, on another stack. If verification
 * confirms the caller's id, the id is stored in the shadow of the word above
 * the first slot, which no call uses (the function's arguments, or the link to
 * the next context, are there).
 */
#ifndef CLEW_STACK_STARTS_H
#define CLEW_STACK_STARTS_H

#include <stdint.h>

/*
 * Stores the address to which first functions return. Called before main or
 * when clew attaches.
 */
void starts_learn(uint64_t pc);

static inline int starts_is_first(uint64_t return_address)
{
	extern uint64_t starts_pc;

	return starts_pc && return_address == starts_pc;
}

/*
 * Called before the calling thread, whose id is `id`, switches to a ucontext_t.
 * `stack` is the stack pointer in it, and `link` the register in which libc has
 * stored the address of uc_link. If the context has not begun yet, stores `id`
 * as that of the caller of its first function, provided that `id` agrees with
 * the present stack and that calls are verified at all (rt.verify_period).
 * Returns false if the context has begun before, or cannot be checked.
 */
int starts_note(uint64_t stack, uint64_t link, uint64_t id);

/*
 * Returns whether `id` is stored as that of the caller of the first function of
 * a stack. The function's slot is `at`.
 */
int starts_are_by(uint64_t at, uint64_t id);

#endif
