/* SPDX-License-Identifier: MIT */
/* Frees the stubs of unloaded modules. */
#ifndef CLEW_HOOKING_RECLAIM_H
#define CLEW_HOOKING_RECLAIM_H

#include "preload/hooking/cold.h"

/*
 * If the stubs of retired modules exceed a limit, frees the stubs that no
 * thread executes or will return into, and forgets their modules. The rest
 * stays until a later call. hook.c calls it with the loader's lock held. The
 * call waits for threads no longer than some tenths of a second.
 */
void reclaim_stubs(struct cold *cold);

#endif
