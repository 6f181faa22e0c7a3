/* SPDX-License-Identifier: MIT */
/*
 * Finds the steps from one stack to the next, for consecutive samples of a
 * thread.
 */
#ifndef CLEW_VIEW_STACK_CHANGE_H
#define CLEW_VIEW_STACK_CHANGE_H

#include "report/model/tree.h"

typedef void stack_step(void *context, uint32_t node);

/* The caller sets all members to 0 before use, and frees `path` afterwards. */
struct stack_change {
	uint32_t *path; /* working memory */
	size_t capacity;
};

/*
 * Leaves the nodes of the stack `from` that are not in `to`, innermost first,
 * and then enters the nodes of `to` that are not in `from`, outermost first.
 * TREE_ROOT is the empty stack.
 */
void stack_change(struct stack_change *change, const struct tree *tree,
		  uint32_t from, uint32_t to, stack_step *leave,
		  stack_step *enter, void *context);

#endif
