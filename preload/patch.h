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

/* A module's jumps, made but not written. */
struct patch {
	const struct module *module;
	struct patch_site *sites;
	uint32_t site_count;
	uint32_t site_room;
};

/*
 * Make a stub for each function whose verdict is HOOKED, and the jump to it.
 * A function that cannot be hooked after all has its verdict changed. 0 or
 * -ENOMEM.
 */
int patch_prepare(struct patch *patch, struct windows *windows,
		  const struct stub_constants *constants,
		  const struct decoder *decoder, const struct module *module,
		  uint32_t first_function, struct wire_function *functions,
		  uint32_t count);

/*
 * Write the jumps, once the windows are sealed, and free what was prepared.
 * 0, or -errno when none was written.
 */
int patch_commit(struct patch *patch);

/* Free what was prepared without writing it. */
void patch_revert(struct patch *patch);

#endif
