/* SPDX-License-Identifier: MIT */
/* The work of a worker that creates an index: reads all data about a module. */
#ifndef CLEW_SYMBOLIZER_INDEXER_BUILD_H
#define CLEW_SYMBOLIZER_INDEXER_BUILD_H

#include "symbolizer/a2n.h"

enum { BUILD_REASON_BYTES = 512 };

struct build_request {
	const char *path; /* including the root */
	const char *root;
	const char *const *debug_roots;
	const struct a2n_build_id *build_id; /* .bytes 0: any */
	uint32_t download_seconds; /* limit for each file; 0: no download */
	/* Reason why debug information is not read; NULL: it is read. */
	const char *without_debug;
	/* read no symbols either, because they exceeded a limit */
	int without_symbols;
};

/*
 * Writes the index to fd. Returns 0 or -errno as a2n_module_open(). Ends the
 * process when out of memory.
 */
int build_index(const struct build_request *request, int fd);

#endif
