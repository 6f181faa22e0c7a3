/* SPDX-License-Identifier: MIT */
/* Types of variables, for the answer. */
#ifndef CLEW_SYMBOLIZER_VARIABLES_VARIABLE_TYPES_H
#define CLEW_SYMBOLIZER_VARIABLES_VARIABLE_TYPES_H

#include "symbolizer/variables/debug_die.h"

/*
 * Returns the index in reading->answer of the type that a DIE describes (NULL:
 * void), without typedef, const and the like. Adds the type if the answer does
 * not contain it. Returns 0, the type that is unknown, if there are too many
 * types or the type is nested too deeply.
 */
uint32_t variable_type_read(struct debug_reading *reading, Dwarf_Die die);

/*
 * Adds the name of the type that a DIE describes (NULL: void) to the texts of
 * reading->answer, as it is written in the source. Returns the offset of the
 * text.
 */
uint32_t variable_type_text(struct debug_reading *reading, Dwarf_Die die);

/*
 * Returns the type without typedef, const and the like. NULL means void, as
 * `die` and as the result. Returns NULL also for a chain of too many of these.
 */
Dwarf_Die variable_type_bare(struct debug_reading *reading, Dwarf_Die die);

/*
 * Returns the definition of a declared struct, or the DIE itself if there is
 * none.
 */
Dwarf_Die variable_type_definition(struct debug_reading *reading,
				   Dwarf_Die die);

#endif
