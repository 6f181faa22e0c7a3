/* SPDX-License-Identifier: MIT */
/*
 * Relays: stubs of functions whose own code is not changed. Who calls a relay has a
 * record in r11, in which stands where the function is:
 *
 *	caller			relay
 *	r11 = record
 *	call relay -------->	entry -> id -> sink
 *				jmp *RELAY_TARGET(%r11) ----> the function
 *				exit <------------------------ its return
 *
 * All else is as with any stub; it is the only way in which the call is counted.
 */
#ifndef CLEW_PATCH_RELAY_H
#define CLEW_PATCH_RELAY_H

#include "preload/modules/modules.h"
#include "preload/stubs/window.h"

#define RELAY_TARGET 16 /* in the record; 8 bits */

/*
 * Relays for `count` functions, which have the numbers from first on, near a module.
 * *out: the entry of the first; the others follow at intervals of stub_bytes().
 * Where module patches are prepared. 0 or -errno.
 */
int relay_make(struct windows *windows, const struct module *module,
	       uint32_t first, uint32_t count, uint64_t *out);

/*
 * Whether a call of the code at pc goes through a stub of its own. Any thread, also
 * without the lock of the patches.
 */
int relay_is_needless(uint64_t pc);

#endif
