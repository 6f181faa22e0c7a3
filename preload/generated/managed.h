/* SPDX-License-Identifier: MIT */
/*
 * The interface of a layer. A layer is a folder beside preload/ that knows one
 * language runtime, which generates code while the program runs and can report
 * it. Each layer has a row in the table in preload/hooking/layers.c. No other
 * code depends on a layer.
 */
#ifndef CLEW_GENERATED_MANAGED_H
#define CLEW_GENERATED_MANAGED_H

#include "preload/modules/modules.h"
#include "preload/stubs/window.h"
#include "wire/recording.h"

struct managed_runtime {
	/*
	 * Called for each new module, which may be the runtime. No thread
	 * executes the module, and if the program already runs, it is not
	 * relocated yet. `functions` are those that were recorded for it; they
	 * are not hooked yet. Called with the loader's lock held.
	 */
	void (*meet_module)(struct module *module, struct windows *windows,
			    struct wire_function *functions, uint32_t count);

	/*
	 * Called first when clew attaches with another configuration than
	 * before: the numbers of functions from earlier attachments are
	 * invalid. May be NULL.
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
	 * Called instead of end_late() in a forked child, where the runtime's
	 * threads do not exist: makes what clew has inserted into the runtime
	 * lead to the program's own code.
	 */
	void (*abandon)(void);

	/*
	 * For a preloaded library with --java=standby, whose runtime is
	 * prepared but does not count (rt.runtimes): starts or ends counting.
	 * Returns 0, or -errno if this failed. Called on the same kind of
	 * thread as begin_late().
	 */
	int (*switch_calls)(int is_on);
};

#endif
