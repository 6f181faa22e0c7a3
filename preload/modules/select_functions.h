/* SPDX-License-Identifier: MIT */
/*
 * Excludes functions of a module by the user's rules (select.h) and the
 * module's symbols.
 */
#ifndef CLEW_MODULES_SELECT_FUNCTIONS_H
#define CLEW_MODULES_SELECT_FUNCTIONS_H

#include "preload/modules/catalog.h"

/*
 * Changes the verdicts of excluded functions. Does nothing if the module's file
 * cannot be read or memory is short. A function with several symbols is
 * selected if one of its names is. A function without a symbol has the name
 * module+0xoffset, as in reports. Calls libc.
 */
void select_functions(const struct config *config, const char *path,
		      struct arena *arena, const struct catalog_entry *entry);

#endif
