/* SPDX-License-Identifier: MIT */
/* Writes the collected data as an index. */
#ifndef CLEW_SYMBOLIZER_INDEXER_WRITE_H
#define CLEW_SYMBOLIZER_INDEXER_WRITE_H

#include "symbolizer/dwarf/sources.h"
#include "symbolizer/elf/gather.h"

/*
 * Returns 0 or -errno. `reason` may be NULL; `module` may be NULL if it is
 * unreadable.
 */
int write_index(int fd, struct gather *gather, const struct elf *module,
		const struct sources *sources, const char *reason);

#endif
