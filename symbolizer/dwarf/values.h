/* SPDX-License-Identifier: MIT */
/* Attributes of DIEs as they stand there; see dwarf/file.h for their meaning. */
#ifndef CLEW_SYMBOLIZER_DWARF_VALUES_H
#define CLEW_SYMBOLIZER_DWARF_VALUES_H

#include "symbolizer/dwarf/file.h"

/* Reads one attribute. Blocks are skipped and become form 0. */
struct dwarf_value dwarf_value(struct cursor *cursor, struct abbrev_sizes sizes,
			       const struct abbrev_attribute *attribute);

/* Entry `index` of the address table; 0 where it has none. */
int dwarf_indexed_address(const struct dwarf_unit *unit, uint64_t index,
			  uint64_t *out);

/*
 * Reads the length that a unit or a table begins with. *part covers what it
 * is the length of, the cursor is behind it. The size of its offsets.
 */
uint8_t dwarf_initial_length(struct cursor *cursor, struct cursor *part);

#endif
