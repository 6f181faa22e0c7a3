/* SPDX-License-Identifier: MIT */
/* Writes the data that gather.h has collected as an index file. */
#ifndef CLEW_SYMBOLIZER_INDEXER_WRITE_H
#define CLEW_SYMBOLIZER_INDEXER_WRITE_H

#include "symbolizer/dwarf/sources.h"
#include "symbolizer/elf/gather.h"

/*
 * Writes an index to fd. Returns 0 or -errno. `reason` says why data is
 * missing, or is NULL.
 */
int write_index(int fd, struct gather *gather, const struct elf *module,
		const struct sources *sources, const char *reason);

#endif
