/* SPDX-License-Identifier: MIT */
/* Attributes of a DIE, by libdwarf. What is damaged is as what is not there. */
#ifndef CLEW_SYMBOLIZER_VARIABLES_DEBUG_DIE_H
#define CLEW_SYMBOLIZER_VARIABLES_DEBUG_DIE_H

#include "symbolizer/variables/debug_reading.h"

Dwarf_Half debug_die_tag(Dwarf_Die die);

/* Unlike for any two DIEs. */
uint64_t debug_die_key(Dwarf_Die die);

/* 1 and the number, or 0. */
int debug_die_number(Dwarf_Die die, Dwarf_Half attribute, uint64_t *out);
int debug_die_flag(Dwarf_Die die, Dwarf_Half attribute);
const char *debug_die_text(Dwarf_Die die, Dwarf_Half attribute);

/* What it refers to, or NULL. */
Dwarf_Die debug_die_reference(struct debug_reading *reading, Dwarf_Die die,
			      Dwarf_Half attribute);

/* The type that has it; NULL. */
Dwarf_Die debug_signature_die(struct debug_reading *reading,
			      const struct debug_signature *of);

/* What it is an instance of, or the definition of; or NULL. */
Dwarf_Die debug_die_origin(struct debug_reading *reading, Dwarf_Die die);

/* The same of the DIE itself, or else of what it is an instance of. */
const char *debug_die_name(struct debug_reading *reading, Dwarf_Die die);
Dwarf_Die debug_die_type(struct debug_reading *reading, Dwarf_Die die);

/* The attribute, there or at its origin; NULL. */
Dwarf_Attribute debug_die_attribute(struct debug_reading *reading,
				    Dwarf_Die die, Dwarf_Half attribute);

/* Whether code of it is at an address: 1, 0; -1: it says nothing of code. */
int debug_die_covers(struct debug_reading *reading, Dwarf_Die die,
		     uint64_t vaddr);

/*
 * Visit what is right below it, until a visit returns what is not 0, which this
 * returns. The DIE is freed behind the visit, unless that returned something.
 */
typedef int (*debug_die_visit)(void *context, Dwarf_Die die);
int debug_die_children(struct debug_reading *reading, Dwarf_Die die,
		       debug_die_visit visit, void *context);

#endif
