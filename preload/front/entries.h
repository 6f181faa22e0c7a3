/* SPDX-License-Identifier: MIT */
/*
 * Installs clew's wrappers (fronts) in an attached process, where symbol order
 * does not find them. The entry of each wrapped function is diverted to its
 * wrapper (patch/divert.h), and `next` leads to code that does what the
 * function did.
 */
#ifndef CLEW_FRONT_ENTRIES_H
#define CLEW_FRONT_ENTRIES_H

#include "preload/modules/modules.h"
#include "preload/stubs/window.h"
#include "wire/recording.h"

/*
 * Diverts the functions of a new module that have fronts; `functions` are the
 * module's, as recorded. Call it after next_find(), under the loader's lock.
 */
void entries_meet_module(struct module *module, struct windows *windows,
			 struct wire_function *functions, uint32_t count);

/* Returns whether the function at pc was diverted to a wrapper. */
int entries_have(uint64_t pc);

/*
 * Makes the wrappers of this function, which entries_have(), call `ours` for
 * the rest of the session instead of the function's original code. Returns 0,
 * the address of the jump, and the original code; -EBUSY if a wrapper calls
 * neither; or another -errno.
 */
int entries_follow(uint64_t pc, void *ours, uint64_t *site_pc, void **original);

/* Called before each session: ends the effects of entries_follow(). */
void entries_begin_again(void);

/*
 * Makes wrappers call the stubs of the patch's functions instead of the
 * functions' original code, so that these calls are counted. The journal lists
 * the changes as data. Call it after sealing the stubs. Returns 0 or -errno.
 */
int entries_lead_to_stubs(const struct patch *patch);

/*
 * Returns the name of a function whose wrapper is indispensable and could not
 * be installed, or NULL.
 */
const char *entries_missing(void);

#endif
