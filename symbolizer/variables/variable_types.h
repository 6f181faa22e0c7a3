/* SPDX-License-Identifier: MIT */
/* Types of variables, for the answer. */
#ifndef CLEW_SYMBOLIZER_VARIABLES_VARIABLE_TYPES_H
#define CLEW_SYMBOLIZER_VARIABLES_VARIABLE_TYPES_H

#include "symbolizer/variables/debug_die.h"

/* The type that a DIE is; NULL: void. */
uint32_t variable_type_read(struct debug_reading *reading, Dwarf_Die die);

/* As the program has it; NULL: void. */
uint32_t variable_type_text(struct debug_reading *reading, Dwarf_Die die);

/* Without typedef, const and the like; NULL: void. */
Dwarf_Die variable_type_bare(struct debug_reading *reading, Dwarf_Die die);

/* What says of a declared struct what is in it; the DIE itself if nobody does. */
Dwarf_Die variable_type_definition(struct debug_reading *reading,
				   Dwarf_Die die);

#endif
