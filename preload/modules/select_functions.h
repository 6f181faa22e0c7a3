/* SPDX-License-Identifier: MIT */
/*
 * Leaving out functions of a module that the user's rules name (select.h), by the
 * module's symbols.
 */
#ifndef CLEW_MODULES_SELECT_FUNCTIONS_H
#define CLEW_MODULES_SELECT_FUNCTIONS_H

#include "preload/modules/catalog.h"

/*
 * Change the verdicts of the functions that the rules leave out. A function
 * with several names is in if one of them is; one with none is called
 * module+0xoffset, as in the reports. Calls libc.
 */
void select_functions(const struct config *config, const char *path,
		      struct arena *arena, const struct catalog_entry *entry);

#endif
