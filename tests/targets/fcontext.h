/* SPDX-License-Identifier: MIT */
/*
 * Stack switches like those of the fcontext libraries. Saved registers lie on
 * the stack, a context is a stack pointer, and the switch ends with a jump to
 * the return address on the other stack.
 *
 * fcontext_x86_64.S has them in all forms that clew meets.
 *
 *	jump_fcontext	exported, without unwind information, as in libraries
 *	popping_...	no name, unwind information, pops the return address
 *	loading_...	no name, unwind information, loads the return address
 *	unseen_...	neither name nor unwind information: clew cannot find it
 */
#ifndef CLEW_TESTS_FCONTEXT_H
#define CLEW_TESTS_FCONTEXT_H

#include <stddef.h>

/* The context that was left, and the data that was passed. */
struct transfer {
	void *context;
	void *data;
};

typedef struct transfer (*jump_fn)(void *to, void *data);
typedef void *(*make_fn)(void *stack_end, size_t bytes,
			 void (*entry)(struct transfer));

struct transfer jump_fcontext(void *to, void *data);
void *make_fcontext(void *stack_end, size_t bytes,
		    void (*entry)(struct transfer));
/*
 * Switches to `to` and calls `on_top` there, before the switch that was left
 * there returns.
 */
struct transfer ontop_fcontext(void *to, void *data,
			       struct transfer (*on_top)(struct transfer));

struct transfer popping_jump(void *to, void *data);
struct transfer loading_jump(void *to, void *data);
struct transfer unseen_jump(void *to, void *data);

#endif
