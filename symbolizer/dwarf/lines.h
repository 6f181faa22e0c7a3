/* SPDX-License-Identifier: MIT */
/* Line tables of versions 2 to 5. */
#ifndef CLEW_SYMBOLIZER_DWARF_LINES_H
#define CLEW_SYMBOLIZER_DWARF_LINES_H

#include "symbolizer/dwarf/file.h"

/*
 * Reads the line table of a unit whose root has been read: its rows go to the
 * gather, and what it calls its files to unit->files. A table that several
 * units share gives its rows once.
 */
void dwarf_read_lines(struct dwarf_unit *unit);

/* The file (of texts) that a unit, or its skeleton, calls by this number. */
uint32_t dwarf_file_number(const struct dwarf_unit *unit, uint64_t number);

#endif
