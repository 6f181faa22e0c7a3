/* SPDX-License-Identifier: MIT */
#ifndef CLEW_PRELOAD_NATIVES_H
#define CLEW_PRELOAD_NATIVES_H

#include "preload/modules.h"

/*
 * Bring hot_native (hot/native.h) up to date: the text of new modules in, that
 * of gone ones out. Under the loader's lock. Where there is no room for more,
 * calls from there count as calls of generated code: they are passed through.
 */
void natives_update(const struct modules *modules);

/* A new module's text is no native code after all. */
void natives_disown(const struct module *module);

#endif
