/* SPDX-License-Identifier: MIT */
/*
 * The scan for code: it determines the function and the chain of inlined calls
 * of each byte of a unit.
 */
#ifndef CLEW_SYMBOLIZER_DWARF_SCOPES_H
#define CLEW_SYMBOLIZER_DWARF_SCOPES_H

#include "symbolizer/dwarf/file.h"

/* Scratch memory of scans, which may be reused. */
struct scopes;

struct scopes *scopes_create(void);
void scopes_destroy(struct scopes *scopes);

/* Adds all chains of a unit to the gather. The unit's files must be known. */
void dwarf_read_scopes(struct scopes *scopes, struct dwarf_unit *unit);

#endif
