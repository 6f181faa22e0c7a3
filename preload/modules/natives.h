/* SPDX-License-Identifier: MIT */
#ifndef CLEW_MODULES_NATIVES_H
#define CLEW_MODULES_NATIVES_H

#include "preload/modules/modules.h"

/*
 * Bring hot_native (hot/native.h) up to date: the text of new modules in, that
 * of gone ones out. Under the loader's lock.
 */
void natives_update(const struct modules *modules);

/* A new module's text is no native code after all. */
void natives_disown(const struct module *module);

/*
 * A module may make memory executable without being noticed: callers are to be
 * looked at wherever they are, from now on. Likewise.
 */
void natives_distrust(void);

/*
 * Not only the text of modules is or will be executable in [start, end), so
 * that callers from the same windows must be looked at. At any time.
 */
void natives_share(uint64_t start, uint64_t end);
int natives_are_shared(uint64_t pc);

#endif
