/* SPDX-License-Identifier: MIT */
/*
 * Giving back the stubs of modules that were unloaded.
 */
#ifndef CLEW_HOOKING_RECLAIM_H
#define CLEW_HOOKING_RECLAIM_H

#include "preload/hooking/cold.h"

/*
 * If the stubs of retired modules have piled up, forget these modules and free
 * the stubs that nothing executes or will return into; the rest is left for
 * later. To be called with the loader's lock held, by hook.c. Threads are not
 * waited for longer than some tenths of a second.
 */
void reclaim_stubs(struct cold *cold);

#endif
