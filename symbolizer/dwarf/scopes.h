/* SPDX-License-Identifier: MIT */
/*
 * The scan for code: which function, and which chain of inlined calls, each
 * byte of a unit comes from.
 */
#ifndef CLEW_SYMBOLIZER_DWARF_SCOPES_H
#define CLEW_SYMBOLIZER_DWARF_SCOPES_H

#include "symbolizer/dwarf/file.h"

/* Scratch memory of the scan; zero-initialise, reuse, scopes_fini(). */
struct scopes;

struct scopes *scopes_create(void);
void scopes_destroy(struct scopes *scopes);

/* Gives the gather all chains of a unit whose files are known. */
void dwarf_read_scopes(struct scopes *scopes, struct dwarf_unit *unit);

#endif
