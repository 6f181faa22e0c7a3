/* SPDX-License-Identifier: MIT */
/*
 * Switches in the manner of the fcontext libraries: what is saved lies on the
 * stack, a context is a stack pointer, and the switch ends in a jump to the
 * return address that it finds on the other stack.
 *
 * fcontext_x86_64.S has them in all the shapes that clew meets:
 *
 *	jump_fcontext	exported, without unwind information: as libraries have it
 *	popping_...	no name, unwind information, pops the return address
 *	loading_...	no name, unwind information, loads the return address
 *	unseen_...	neither name nor unwind information: nobody can find it
 */
#ifndef CLEW_TESTS_FCONTEXT_H
#define CLEW_TESTS_FCONTEXT_H

#include <stddef.h>

/* Where it was switched from, and what came with it. */
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
/* Calls `on_top` over there, in place of the switch that left there. */
struct transfer ontop_fcontext(void *to, void *data,
			       struct transfer (*on_top)(struct transfer));

struct transfer popping_jump(void *to, void *data);
struct transfer loading_jump(void *to, void *data);
struct transfer unseen_jump(void *to, void *data);

#endif
