/* SPDX-License-Identifier: MIT */
/* The location of a variable at an address, for the answer. */
#ifndef CLEW_SYMBOLIZER_VARIABLES_VARIABLE_LOCATIONS_H
#define CLEW_SYMBOLIZER_VARIABLES_VARIABLE_LOCATIONS_H

#include "symbolizer/variables/debug_die.h"

/* The position for which a location is read. */
struct variable_frame {
	Dwarf_Die function; /* provides the frame base; may be NULL */
	uint64_t vaddr;
	int is_entry; /* the function has not changed any register yet */
};

/* The form in which a DIE gives its location. */
enum variable_location {
	LOCATION_IS_NONE,
	LOCATION_IS_CONSTANT,
	LOCATION_IS_ONE,  /* valid at all addresses */
	LOCATION_IS_LIST, /* different locations for ranges of addresses */
};

enum variable_location variable_location_kind(struct debug_reading *reading,
					      Dwarf_Die die);

/* Sets place, why, first_step and step_count of the variable. */
void variable_location_read(struct debug_reading *reading,
			    const struct variable_frame *frame, Dwarf_Die die,
			    struct variable *out);

#endif
