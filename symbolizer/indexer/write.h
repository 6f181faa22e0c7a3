/* SPDX-License-Identifier: MIT */
/* What was gathered, written as an index. */
#ifndef CLEW_SYMBOLIZER_INDEXER_WRITE_H
#define CLEW_SYMBOLIZER_INDEXER_WRITE_H

#include "symbolizer/indexer/gather.h"
#include "symbolizer/indexer/sources.h"

/* 0, or -errno. `reason` may be NULL; the module may, where it is unreadable. */
int write_index(int fd, struct gather *gather, const struct elf *module,
		const struct sources *sources, const char *reason);

#endif
