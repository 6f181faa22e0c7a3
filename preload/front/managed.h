/* SPDX-License-Identifier: MIT */
/*
 * Runtimes that make code while the program runs, and can be asked about it: what
 * clew asks of a layer that knows one of them. Each is a folder beside preload/,
 * a row of the table in preload/layers.c, and unknown to everything else.
 */
#ifndef CLEW_FRONT_MANAGED_H
#define CLEW_FRONT_MANAGED_H

#include "preload/modules/modules.h"
#include "preload/stubs/window.h"
#include "wire/recording.h"

struct managed_runtime {
	/*
	 * A new module that may be the runtime: nothing runs in it, nor has it
	 * been relocated if the program runs already. `functions` are its own as
	 * recorded, of which some may be hooked next. Under the loader's lock.
	 */
	void (*meet_module)(struct module *module, struct windows *windows,
			    struct wire_function *functions, uint32_t count);
};

#endif
