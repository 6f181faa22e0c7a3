/* SPDX-License-Identifier: MIT */
#ifndef CLEW_MODULES_NATIVES_H
#define CLEW_MODULES_NATIVES_H

#include "preload/modules/modules.h"

/*
 * Updates hot_native (hot/native.h): adds the text of new modules, removes that
 * of unloaded ones. Under the loader's lock.
 */
void natives_update(const struct modules *modules);

/*
 * Removes a new module's text from hot_native, because it is code of a managed
 * runtime (Mono) that was compiled ahead of time. Its calls are then checked,
 * like those of generated code.
 */
void natives_disown(const struct module *module);

/*
 * A module may make memory executable without being observed: all callers must
 * be checked from now on, at any address. Under the loader's lock.
 */
void natives_distrust(void);

/*
 * natives_share() marks [start, end), where other code than modules' text is or
 * will be executable: callers from the same windows must be checked. At any
 * time.
 */
void natives_share(uint64_t start, uint64_t end);
int natives_are_shared(uint64_t pc);

#endif
