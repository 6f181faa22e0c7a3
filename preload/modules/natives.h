/* SPDX-License-Identifier: MIT */
#ifndef CLEW_MODULES_NATIVES_H
#define CLEW_MODULES_NATIVES_H

#include "preload/modules/modules.h"

/*
 * Updates hot_native (hot/native.h): adds the text of new modules, removes that
 * of unloaded ones. Called with the loader's lock held.
 */
void natives_update(const struct modules *modules);

/*
 * Removes a new module's text from hot_native, because it is code of a managed
 * runtime (Mono) that was compiled ahead of time. Its calls are then checked,
 * like those of generated code.
 */
void natives_disown(const struct module *module);

/*
 * Called when a module may make memory executable without clew noticing it.
 * From now on guarded stubs check all callers. Called with the loader's lock
 * held.
 */
void natives_distrust(void);

/*
 * natives_share() notes that [start, end) contains, or will contain, executable
 * code that is not the text of a module. Guarded stubs then check callers from
 * the same windows of 16 MiB. natives_are_shared() returns whether this was
 * noted for the window of pc. Both may be called at any time.
 */
void natives_share(uint64_t start, uint64_t end);
int natives_are_shared(uint64_t pc);

#endif
