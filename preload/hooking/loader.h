/* SPDX-License-Identifier: MIT */
/* Makes the loader call clew whenever it has loaded or unloaded modules. */
#ifndef CLEW_HOOKING_LOADER_H
#define CLEW_HOOKING_LOADER_H

#include "preload/hooking/cold.h"

/*
 * Updates the hooks (hook.h) after each later change of the loader's list. Call
 * it before main() or while clew attaches, after the modules that are loaded by
 * then have been hooked. Returns 0 or -errno; after an error, modules that are
 * loaded later are not hooked.
 */
int loader_watch(struct cold *cold);

/*
 * Registers one function that is called whenever the loader's list of modules
 * is consistent again, in any state of the recording, before the hooks are
 * updated, with the loader's lock held and counting muted.
 */
void loader_also_call(void (*function)(void));

#endif
