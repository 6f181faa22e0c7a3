/* SPDX-License-Identifier: MIT */
/* Attributes of a DIE, by libdwarf. Damaged attributes count as missing. */
#ifndef CLEW_SYMBOLIZER_VARIABLES_DEBUG_DIE_H
#define CLEW_SYMBOLIZER_VARIABLES_DEBUG_DIE_H

#include "symbolizer/variables/debug_reading.h"

Dwarf_Half debug_die_tag(Dwarf_Die die);

/* Returns a key that is unique among the DIEs of a file. */
uint64_t debug_die_key(Dwarf_Die die);

/*
 * Return the value of an attribute: 1 and the number, or 0; whether a flag is
 * set; a text, or NULL.
 */
int debug_die_number(Dwarf_Die die, Dwarf_Half attribute, uint64_t *out);
int debug_die_flag(Dwarf_Die die, Dwarf_Half attribute);
const char *debug_die_text(Dwarf_Die die, Dwarf_Half attribute);

/* Returns the DIE that the attribute refers to, or NULL. */
Dwarf_Die debug_die_reference(struct debug_reading *reading, Dwarf_Die die,
			      Dwarf_Half attribute);

/* Returns the type with this signature, or NULL. */
Dwarf_Die debug_signature_die(struct debug_reading *reading,
			      const struct debug_signature *of);

/*
 * Returns the DIE to which an instance or a definition refers
 * (DW_AT_abstract_origin, DW_AT_specification), or NULL.
 */
Dwarf_Die debug_die_origin(struct debug_reading *reading, Dwarf_Die die);

/*
 * Return the name and the type of the DIE itself or, if it has none, of its
 * origin; NULL if there is none.
 */
const char *debug_die_name(struct debug_reading *reading, Dwarf_Die die);
Dwarf_Die debug_die_type(struct debug_reading *reading, Dwarf_Die die);

/*
 * Returns the attribute of the DIE itself or of its origin; NULL if there is
 * none.
 */
Dwarf_Attribute debug_die_attribute(struct debug_reading *reading,
				    Dwarf_Die die, Dwarf_Half attribute);

/*
 * Returns 1 if the DIE's code contains the address, 0 if not, -1 if the DIE has
 * no code.
 */
int debug_die_covers(struct debug_reading *reading, Dwarf_Die die,
		     uint64_t vaddr);

/*
 * Visits the children until a visit returns nonzero, and returns that value.
 * Each DIE is freed after its visit, unless that returned nonzero.
 */
typedef int (*debug_die_visit)(void *context, Dwarf_Die die);
int debug_die_children(struct debug_reading *reading, Dwarf_Die die,
		       debug_die_visit visit, void *context);

#endif
