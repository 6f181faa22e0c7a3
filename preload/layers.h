/* SPDX-License-Identifier: MIT */
/* All runtimes of which this build has a layer (preload/front/managed.h). */
#ifndef CLEW_PRELOAD_LAYERS_H
#define CLEW_PRELOAD_LAYERS_H

#include "preload/front/managed.h"

/* Ask each of them. */
void layers_meet_module(struct module *module, struct windows *windows,
			struct wire_function *functions, uint32_t count);

#endif
