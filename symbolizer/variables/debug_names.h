/* SPDX-License-Identifier: MIT */
/* What units declare outside of functions, by its name. */
#ifndef CLEW_SYMBOLIZER_VARIABLES_DEBUG_NAMES_H
#define CLEW_SYMBOLIZER_VARIABLES_DEBUG_NAMES_H

#include "symbolizer/variables/debug_die.h"

/* The DIE of a unit; NULL. */
Dwarf_Die debug_unit_die(struct debug_reading *reading, size_t unit);

/*
 * Visit what is of no function: of units, and their namespaces. Those of the unit that
 * has the address come first. What a visit returns, if not 0, ends it.
 */
int debug_names_walk(struct debug_reading *reading, debug_die_visit visit,
		     void *context);

/* The same of one unit. */
int debug_unit_walk(struct debug_reading *reading, Dwarf_Die unit,
		    debug_die_visit visit, void *context);

#endif
