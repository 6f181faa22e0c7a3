/* SPDX-License-Identifier: MIT */
/* Line tables of versions 2 to 5. */
#ifndef CLEW_SYMBOLIZER_DWARF_LINES_H
#define CLEW_SYMBOLIZER_DWARF_LINES_H

#include "symbolizer/dwarf/file.h"

/*
 * Reads the line table of a unit whose root was read: adds its rows to the
 * gather and sets unit->files. The rows of a table that several units share are
 * added once.
 */
void dwarf_read_lines(struct dwarf_unit *unit);

/*
 * Returns the file (in texts) with this number in the line table of a unit or
 * its skeleton.
 */
uint32_t dwarf_file_number(const struct dwarf_unit *unit, uint64_t number);

#endif
