/* SPDX-License-Identifier: MIT */
/*
 * Who began a stack: contexts made by makecontext(), until they begin to run.
 *
 * The first function of such a stack returns to a function of libc's, by
 * whose address it is known, so that those who walk the stack know where it
 * ends. What began it is the function that switched there, on another stack: its
 * id is kept in the shadow of the word behind that first slot, which no call uses
 * (there are the function's arguments, or the link to the next context).
 */
#ifndef CLEW_STACK_STARTS_H
#define CLEW_STACK_STARTS_H

#include <stdint.h>

/* Before main: where first functions return to. */
void starts_learn(uint64_t pc);

static inline int starts_is_first(uint64_t return_address)
{
	extern uint64_t starts_pc;

	return starts_pc && return_address == starts_pc;
}

/*
 * Whether a context that is gone to has not begun: one in which the stack pointer
 * is `stack`, and the register in which libc keeps where the link to the next
 * context is, `link`.
 */
int starts_are_due(uint64_t stack, uint64_t link);

/*
 * Nobody knows who calls the first function of such a stack: to be said first.
 * False if there is no shadow of it to be had.
 */
int starts_clear(uint64_t stack);

/* It is called by id. */
void starts_put(uint64_t stack, uint64_t id);

/* Whether the function whose slot is the first of its stack is known to be
 * called by id. */
int starts_are_by(uint64_t at, uint64_t id);

#endif
