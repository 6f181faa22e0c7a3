/* SPDX-License-Identifier: MIT */
/*
 * The patches of a module, from their writing until it is unloaded.
 *
 * A module has a list of patches, made at different times. They are all in the
 * list of struct patches, too, where handlers look for breakpoints, as long as
 * the module is loaded. What a retired module has stays in its own list, until
 * the module comes back or reclaim.h frees the stubs.
 */
#ifndef CLEW_HOOKING_MODULE_PATCHES_H
#define CLEW_HOOKING_MODULE_PATCHES_H

#include "preload/hooking/cold.h"

/*
 * Write a chain of patches (next_of_module), all or none, and give it to the
 * module, in front of what that has: it is guarded if that is (guard.h). While the hooks are out (control.c) it is
 * only made ready. Nobody runs in the module.
 *
 * 0; -EEXIST if another patch of the module changes some of the same bytes; or
 * other -errno. A handler may be looking through a patch even if it was not
 * written: so its memory must stay.
 */
int module_patches_commit(struct cold *cold, struct module *module,
			  struct patch *chain);

/*
 * A patch that is disabled, and written live if ever: it is the module's from now on.
 * With the patches' lock.
 */
void module_patches_add(struct cold *cold, struct module *module,
			struct patch *patch);

/* The module is unloaded, and what was written is gone with its code. */
void module_patches_retire(struct cold *cold, struct module *module);

/* It is back, as `module`. As module_patches_commit(). */
int module_patches_again(struct cold *cold, struct module *former,
			 struct module *module);

#endif
