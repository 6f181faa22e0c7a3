/* SPDX-License-Identifier: MIT */
/* Raw attributes of DIEs; dwarf/file.h resolves their values. */
#ifndef CLEW_SYMBOLIZER_DWARF_VALUES_H
#define CLEW_SYMBOLIZER_DWARF_VALUES_H

#include "symbolizer/dwarf/file.h"

/*
 * Reads one attribute. Blocks and other values of more than 8 bytes are
 * skipped; the result then has form 0. An unknown form makes the cursor bad;
 * the result then has form 0 as well.
 */
struct dwarf_value dwarf_value(struct cursor *cursor, struct abbrev_sizes sizes,
			       const struct abbrev_attribute *attribute);

/* Reads entry `index` of the address table. Returns 0 if there is none. */
int dwarf_indexed_address(const struct dwarf_unit *unit, uint64_t index,
			  uint64_t *out);

/*
 * Reads the length at the beginning of a unit or table. *part covers the bytes
 * with that length; the cursor is moved past them. Returns the size of offsets.
 */
uint8_t dwarf_initial_length(struct cursor *cursor, struct cursor *part);

#endif
