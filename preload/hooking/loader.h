/* SPDX-License-Identifier: MIT */
/*
 * Being told when the loader has loaded or unloaded something.
 */
#ifndef CLEW_HOOKING_LOADER_H
#define CLEW_HOOKING_LOADER_H

#include "preload/hooking/cold.h"

/*
 * From now on bring the hooks up to date with what is loaded (hook.h). Before
 * main, after what is loaded then has been hooked. 0, or -errno: then what is
 * loaded later stays unhooked.
 */
int loader_watch(struct cold *cold);

/*
 * What else is to be done each time when the list is consistent again, in any state,
 * with the loader's lock held. One function; muted.
 */
void loader_also_call(void (*function)(void));

#endif
