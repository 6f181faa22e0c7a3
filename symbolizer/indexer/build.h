/* SPDX-License-Identifier: MIT */
/* The work of a worker: reads all that is known about a module into an index. */
#ifndef CLEW_SYMBOLIZER_INDEXER_BUILD_H
#define CLEW_SYMBOLIZER_INDEXER_BUILD_H

#include "symbolizer/a2n.h"

enum { BUILD_REASON_BYTES = 512 };

struct build_request {
	const char *path; /* with the root before it */
	const char *root;
	const char *const *debug_roots;
	const struct a2n_build_id *build_id; /* .bytes 0: any */
	uint32_t download_seconds; /* for each file, at most; 0: no download */
	const char *without_debug; /* why debug information is not to be read */
	int without_symbols;       /* nor symbols: they were too much, too */
};

/*
 * Writes the index to fd. 0, or -errno as a2n_module_open() has it. Ends the
 * process when out of memory.
 */
int build_index(const struct build_request *request, int fd);

#endif
