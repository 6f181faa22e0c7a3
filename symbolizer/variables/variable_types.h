/* SPDX-License-Identifier: MIT */
/* Types of variables, for the answer. */
#ifndef CLEW_SYMBOLIZER_VARIABLES_VARIABLE_TYPES_H
#define CLEW_SYMBOLIZER_VARIABLES_VARIABLE_TYPES_H

#include "symbolizer/variables/debug_die.h"

/* Returns the type of a DIE; NULL: void. */
uint32_t variable_type_read(struct debug_reading *reading, Dwarf_Die die);

/* Returns the type's text as in the source; NULL: void. */
uint32_t variable_type_text(struct debug_reading *reading, Dwarf_Die die);

/*
 * `die` is a type. Returns it without typedef, const and the like. NULL means
 * void, in `die` and in the result.
 */
Dwarf_Die variable_type_bare(struct debug_reading *reading, Dwarf_Die die);

/*
 * Returns the definition of a declared struct, or the DIE itself if there is
 * none.
 */
Dwarf_Die variable_type_definition(struct debug_reading *reading,
				   Dwarf_Die die);

#endif
