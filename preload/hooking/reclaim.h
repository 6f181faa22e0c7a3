/* SPDX-License-Identifier: MIT */
/* Frees the stubs of unloaded modules. */
#ifndef CLEW_HOOKING_RECLAIM_H
#define CLEW_HOOKING_RECLAIM_H

#include "preload/hooking/cold.h"

/*
 * If the stubs of retired modules exceed a limit, searches all stacks. Frees
 * all stubs of each retired module, and forgets the module, if no thread
 * executes one of them or may return into one. The other modules keep all their
 * stubs until a later call. If the search is incomplete, nothing is freed.
 * hook.c calls this function with the loader's lock held. The call waits for
 * threads no longer than some tenths of a second.
 */
void reclaim_stubs(struct cold *cold);

#endif
