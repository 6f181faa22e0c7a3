/* SPDX-License-Identifier: MIT */
/*
 * Leading a module's own imports elsewhere, without a word to other modules.
 *
 * What is loaded before main has been relocated when we come: the addresses
 * are in its tables, or will be put there when they are needed, and are
 * replaced. What is loaded later is met before it is relocated (loader.c):
 * then relocations are replaced, in memory, by such as ask a function of ours
 * for the address.
 */
#ifndef CLEW_FRONT_IMPORTS_H
#define CLEW_FRONT_IMPORTS_H

#include "preload/modules/modules.h"

/*
 * Whether the module jumps to other frames, or to other stacks, by functions
 * that it imports.
 */
enum imports_jumps { IMPORTS_NO_JUMP, IMPORTS_JUMP, IMPORTS_SWITCH };
enum imports_jumps imports_jumps(const struct module *module);

/* Whether it calls what can make memory executable (generators.h). */
int imports_maps(const struct module *module);

/*
 * Lead the functions that copy to ours (copies.h). 0 or -errno: then some may
 * be as they were.
 */
int imports_lead_copies(const struct module *module, int anywhere);

/*
 * Lead what the module imports of libc and is to find a function of ours in front of
 * to that: a module that was loaded with RTLD_DEEPBIND looks the libraries that it
 * needs up before those that were preloaded. Before it is relocated. Likewise.
 */
int imports_lead_to_fronts(const struct module *module);

#endif
