/* SPDX-License-Identifier: MIT */
/*
 * Which functions can be unhooked one by one, and doing so, while threads run.
 *
 * Not those of the C library: it blocks all signals now and then, by system calls of
 * its own, and must not meet a breakpoint then. Nor those whose jump leads by way
 * of another function's, or stands behind one: they come and go together only.
 */
#ifndef CLEW_BUDGET_BUDGET_HOOKS_H
#define CLEW_BUDGET_BUDGET_HOOKS_H

#include "preload/budget/budget_functions.h"

/*
 * Find out of all functions whether they can be left out, and of those that were
 * whether somebody else has hooked them since: clew_hook(), or the loader, with
 * their module. 0; or -EBUSY while there is nothing to be changed.
 */
int budget_hooks_learn(struct budget_functions *functions);

/*
 * Unhook those that are chosen, or hook them. All or none; none is chosen any more.
 * 0 or -errno, as live.h has it.
 */
int budget_hooks_change(struct budget_functions *functions, int to_hooked);

#endif
