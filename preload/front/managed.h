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

	/*
	 * Where clew has been attached; NULL where there is nothing to do. First of
	 * an attachment with another configuration: numbers of functions that were
	 * given before mean nothing.
	 */
	void (*forget_numbers)(void);
	/* Whether the runtime is there, so that the next two are of use. */
	int (*is_there)(void);
	/*
	 * It is to tell of itself from now on; and no more, so that nothing of ours
	 * is left in it: 0, or -errno if something is. On a thread of clew's that
	 * libc has made, in which nothing is counted. No lock is held.
	 */
	void (*begin_late)(void);
	int (*end_late)(void);

	/*
	 * Where the library has been there from the start: what the runtime runs is to
	 * count from now on, or not, if it stands by (rt.runtimes). 0, or -errno: it does not.
	 * On such a thread, too.
	 */
	int (*switch_calls)(int is_on);
};

#endif
