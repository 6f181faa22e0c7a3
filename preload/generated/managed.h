/* SPDX-License-Identifier: MIT */
/*
 * Runtimes that generate code while the program runs and can report it: the
 * interface of a layer that knows one of them. Each layer is a folder beside
 * preload/ and a row of the table in preload/hooking/layers.c; all other code
 * is independent of it.
 */
#ifndef CLEW_GENERATED_MANAGED_H
#define CLEW_GENERATED_MANAGED_H

#include "preload/modules/modules.h"
#include "preload/stubs/window.h"
#include "wire/recording.h"

struct managed_runtime {
	/*
	 * A new module that may be the runtime. No thread executes it, and it
	 * is not relocated yet if the program already runs. `functions` are the
	 * module's, as recorded; some may be hooked next. Under the loader's
	 * lock.
	 */
	void (*meet_module)(struct module *module, struct windows *windows,
			    struct wire_function *functions, uint32_t count);

	/*
	 * Called first for an attachment with another configuration: function
	 * numbers of earlier attachments are invalid. NULL: nothing to do.
	 */
	void (*forget_numbers)(void);
	/*
	 * Returns whether the runtime exists; otherwise the next functions have
	 * no use.
	 */
	int (*is_there)(void);
	/*
	 * Start and end the runtime's reports. After end_late() no part of clew
	 * remains in the runtime: it returns 0, or -errno if something does.
	 * Called on a thread of clew's that libc has created and that counts
	 * nothing. No lock is held.
	 */
	void (*begin_late)(void);
	int (*end_late)(void);

	/*
	 * If the library was preloaded and the runtime stands by (rt.runtimes):
	 * starts or ends counting of the runtime's calls. Returns 0, or -errno
	 * if this failed. Called on the same kind of thread as begin_late().
	 */
	int (*switch_calls)(int is_on);
};

#endif
