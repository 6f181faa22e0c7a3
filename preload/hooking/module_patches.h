/* SPDX-License-Identifier: MIT */
/*
 * The patches of a module, from the time they are written until the module is
 * unloaded.
 *
 * A module has a list of its patches, created at different times. While the
 * module is loaded they are also in the list of struct patches, where handlers
 * look up breakpoints. When the module is unloaded (retired), its patches leave
 * that list. They stay in the module's own list until the module is loaded
 * again or reclaim.h frees the stubs.
 */
#ifndef CLEW_HOOKING_MODULE_PATCHES_H
#define CLEW_HOOKING_MODULE_PATCHES_H

#include "preload/hooking/cold.h"

/*
 * Writes a chain of patches (next_of_module), all or none, and puts it in front
 * of the module's patches. The new patches are guarded if the former ones are
 * (guard.h). While the hooks are removed (control.c), nothing is written. No
 * thread may be running in the module.
 *
 * Returns 0; -EEXIST if another patch of the module changes some of the same
 * bytes; or another -errno. A handler may be reading a patch even if it was not
 * written, so the patches' memory must not be freed.
 */
int module_patches_commit(struct cold *cold, struct module *module,
			  struct patch *chain);

/*
 * Adds a disabled patch to the module. Such a patch is written later, while
 * threads execute the module (live.h). Called with the patches' lock.
 */
void module_patches_add(struct cold *cold, struct module *module,
			struct patch *patch);

/*
 * Removes the patches of an unloaded module, whose code does not exist any
 * more, from the handlers' list.
 */
void module_patches_retire(struct cold *cold, struct module *module);

/*
 * Writes the patches of the unloaded module `former` again into `module`, the
 * same file at the same address. Returns the same values as
 * module_patches_commit().
 */
int module_patches_again(struct cold *cold, struct module *former,
			 struct module *module);

#endif
