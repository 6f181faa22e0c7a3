/* SPDX-License-Identifier: MIT */
/* The code of a DIE: low_pc and high_pc, or a list of ranges. */
#ifndef CLEW_SYMBOLIZER_DWARF_RANGES_H
#define CLEW_SYMBOLIZER_DWARF_RANGES_H

#include "symbolizer/dwarf/file.h"

struct dwarf_range {
	uint64_t start, end;
};

struct dwarf_ranges {
	struct dwarf_range *items;
	size_t count, capacity;
};

/*
 * Replaces *out by the ranges that lie in code. Ranges elsewhere mostly belong
 * to functions that the linker has discarded.
 */
void dwarf_ranges(struct dwarf_unit *unit, const struct dwarf_die *die,
		  struct dwarf_ranges *out);

#endif
