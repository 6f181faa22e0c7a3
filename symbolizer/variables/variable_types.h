/* SPDX-License-Identifier: MIT */
/* Types of variables, for the answer. */
#ifndef CLEW_SYMBOLIZER_VARIABLES_VARIABLE_TYPES_H
#define CLEW_SYMBOLIZER_VARIABLES_VARIABLE_TYPES_H

#include "symbolizer/variables/debug_die.h"

/*
 * Adds a type to the answer, from the type's DIE (NULL: void), and returns its
 * index.
 */
uint32_t variable_type_read(struct debug_reading *reading, Dwarf_Die die);

/*
 * Adds the text of a type as in the source, from the type's DIE (NULL: void),
 * and returns its offset.
 */
uint32_t variable_type_text(struct debug_reading *reading, Dwarf_Die die);

/*
 * Returns the type without typedef, const and the like. NULL means void, as
 * `die` and as the result.
 */
Dwarf_Die variable_type_bare(struct debug_reading *reading, Dwarf_Die die);

/*
 * Returns the definition of a declared struct, or the DIE itself if there is
 * none.
 */
Dwarf_Die variable_type_definition(struct debug_reading *reading,
				   Dwarf_Die die);

#endif
