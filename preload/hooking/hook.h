/* SPDX-License-Identifier: MIT */
/*
 * Hooks modules (executables and shared objects) after they have been loaded,
 * and retires them after they have been unloaded.
 */
#ifndef CLEW_HOOKING_HOOK_H
#define CLEW_HOOKING_HOOK_H

#include "preload/hooking/cold.h"

/*
 * Analyses and records all modules that are new, hooks those that the rules
 * select, and retires those that were unloaded. A module that is loaded again
 * at its former address reuses its stubs.
 *
 * Called before main(), in slices while clew attaches, and whenever the loader
 * has changed its list and holds its lock; in the last case no thread runs in
 * new modules yet. Calls libc. Returns 0 or -errno.
 */
int hook_update(struct cold *cold);

/*
 * Creates and stores stubs and hooked text of config.warmed_files, which are
 * mapped but not loaded, so that none of their code runs. The process must exit
 * afterwards. *kept reports what is stored for the program (enum wire_warmed).
 * Returns 0 or -errno.
 */
int hook_warm(struct cold *cold, uint32_t *kept);

/*
 * Retires unloaded modules and does nothing else, under the same conditions as
 * hook_update(). Returns 0 or -errno.
 */
int hook_retire(struct cold *cold);

#endif
