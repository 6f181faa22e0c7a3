/* SPDX-License-Identifier: MIT */
/*
 * Writing jumps into the program's code while nothing runs in it.
 *
 * Code is never writable and executable at once: a module's executable
 * segments become writable, are patched, and become executable again. During
 * that time nothing may run there, so this is for a process that is alone
 * (before main) and it calls nothing outside of libclew.so.
 */
#ifndef CLEW_PRELOAD_PATCH_H
#define CLEW_PRELOAD_PATCH_H

#include "preload/modules.h"
#include "preload/stub.h"
#include "wire/recording.h"

/*
 * Make a stub for each function whose verdict is HOOKED and put a jump to it
 * at its entry. A function that cannot be hooked after all has its verdict
 * changed; nothing of a module is patched if its memory cannot be.
 * 0 or -errno.
 */
int patch_module(struct windows *windows,
		 const struct stub_constants *constants,
		 const struct decoder *decoder, const struct module *module,
		 uint32_t first_function, struct wire_function *functions,
		 uint32_t count);

#endif
