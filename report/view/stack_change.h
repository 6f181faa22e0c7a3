/* SPDX-License-Identifier: MIT */
/* From one stack to the next, as a thread's samples show them. */
#ifndef CLEW_VIEW_STACK_CHANGE_H
#define CLEW_VIEW_STACK_CHANGE_H

#include "report/model/tree.h"

typedef void stack_step(void *context, uint32_t node);

/* Zero-initialise before use; free() `path` behind it. */
struct stack_change {
	uint32_t *path; /* scratch */
	size_t capacity;
};

/*
 * Leaves the nodes that `from` is below and `to` is not, the innermost first,
 * then enters those that `to` is below and `from` is not, the outermost first.
 * TREE_ROOT is the empty stack.
 */
void stack_change(struct stack_change *change, const struct tree *tree,
		  uint32_t from, uint32_t to, stack_step *leave,
		  stack_step *enter, void *context);

#endif
