/* SPDX-License-Identifier: MIT */
/*
 * Redirects a module's own imports, without effect on other modules.
 *
 * Modules that are loaded before main, or before clew attaches, are already
 * relocated: addresses are in their tables, or will be stored there when
 * needed, and are replaced. Modules that are loaded later are found before they
 * are relocated (loader.c): their relocations are replaced, in memory, by
 * relocations that call a function of clew's for the address.
 */
#ifndef CLEW_FRONT_IMPORTS_H
#define CLEW_FRONT_IMPORTS_H

#include "preload/modules/modules.h"

/*
 * Returns whether the module imports functions that jump to other frames
 * (IMPORTS_JUMP) or to other stacks (IMPORTS_SWITCH).
 */
enum imports_jumps { IMPORTS_NO_JUMP, IMPORTS_JUMP, IMPORTS_SWITCH };
enum imports_jumps imports_jumps(const struct module *module);

/*
 * Returns whether the module imports functions that can make memory executable
 * (generators.h).
 */
int imports_maps(const struct module *module);

/*
 * Redirects the module's imports of functions that copy memory to clew's
 * wrappers (copies.h). Returns 0, or -errno if some may be unchanged.
 */
int imports_lead_copies(const struct module *module, int anywhere);

/*
 * Redirects the module's imports of libc functions to their fronts. A module
 * that was loaded with RTLD_DEEPBIND finds its own libraries before preloaded
 * ones. Call it before the module is relocated. Returns 0, or -errno if some
 * may be unchanged.
 */
int imports_lead_to_fronts(const struct module *module);

#endif
