/* SPDX-License-Identifier: MIT */
/*
 * Relays: stubs of functions whose own code is not changed. The caller of a
 * relay passes a record in r11 that contains the function's address:
 *
 *	caller			relay
 *	r11 = record
 *	call relay -------->	entry -> id -> sink
 *				jmp *RELAY_TARGET(%r11) ----> the function
 *				exit <------------------------ its return
 *
 * Otherwise a relay works like any stub. Calls that do not pass through the
 * relay are not counted.
 */
#ifndef CLEW_PATCH_RELAY_H
#define CLEW_PATCH_RELAY_H

#include "preload/modules/modules.h"
#include "preload/stubs/window.h"

#define RELAY_TARGET 16 /* offset in the record; fits in 8 bits */

/*
 * Creates relays for `count` functions with numbers from `first` on, near a
 * module. *out is the entry of the first; the others follow at intervals of
 * stub_bytes(). Call it where patches of modules are prepared. Returns 0 or
 * -errno.
 */
int relay_make(struct windows *windows, const struct module *module,
	       uint32_t first, uint32_t count, uint64_t *out);

/*
 * Returns whether calls of the function at pc already pass through a stub. Any
 * thread may call this function, also without the lock of patches.
 */
int relay_is_needless(uint64_t pc);

#endif
