/* SPDX-License-Identifier: MIT */
/* Walks over declarations outside of functions. */
#ifndef CLEW_SYMBOLIZER_VARIABLES_DEBUG_NAMES_H
#define CLEW_SYMBOLIZER_VARIABLES_DEBUG_NAMES_H

#include "symbolizer/variables/debug_die.h"

/* Returns the DIE of a unit, or NULL. */
Dwarf_Die debug_unit_die(struct debug_reading *reading, size_t unit);

/*
 * Visits the declarations in all units and their namespaces, first those of the
 * unit that contains the requested address (reading->unit). Stops at the first
 * nonzero result of a visit and returns it.
 */
int debug_names_walk(struct debug_reading *reading, debug_die_visit visit,
		     void *context);

/* Visits the declarations of one unit. */
int debug_unit_walk(struct debug_reading *reading, Dwarf_Die unit,
		    debug_die_visit visit, void *context);

#endif
