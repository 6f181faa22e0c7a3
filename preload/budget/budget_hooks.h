/* SPDX-License-Identifier: MIT */
/*
 * Unhooks and hooks single functions while threads run.
 *
 * Functions of the C library are excluded: libc sometimes blocks all signals by
 * system calls of its own, and must not execute a breakpoint then. A guest and
 * its host are also excluded, because they can only be changed together: the
 * guest's short jump leads to a second jump behind the host's.
 */
#ifndef CLEW_BUDGET_BUDGET_HOOKS_H
#define CLEW_BUDGET_BUDGET_HOOKS_H

#include "preload/budget/budget_functions.h"

/*
 * Locks the hooks of all modules, with all signals blocked. Returns 0, or -EBUSY
 * while nothing can be changed.
 */
int budget_hooks_lock(uint64_t *signals);
void budget_hooks_unlock(const uint64_t *signals);

/*
 * Finds out which functions can be unhooked, and which unhooked functions were
 * hooked again by clew_hook() or because their module was loaded again. Returns
 * 0, or -EBUSY while nothing can be changed.
 */
int budget_hooks_learn(struct budget_functions *functions);

/*
 * Unhooks or hooks the chosen functions, all or none; afterwards none is
 * chosen. Returns 0 or -errno, as in live.h.
 */
int budget_hooks_change(struct budget_functions *functions, int to_hooked);

/*
 * Unhooks the chosen functions while no thread executes their modules: before
 * the program runs. This takes a tenth of the time. Afterwards none is chosen.
 * Returns 0 or -errno; then some may be unhooked.
 */
int budget_hooks_unhook_idle(struct budget_functions *functions);

#endif
