/* SPDX-License-Identifier: MIT */
/*
 * Creates the index of a module (symbolizer/index_format.h): reads its symbols
 * and debug information. This code runs in a worker process (worker.h), because
 * files may be damaged or hostile.
 */
#ifndef CLEW_SYMBOLIZER_INDEXER_BUILD_H
#define CLEW_SYMBOLIZER_INDEXER_BUILD_H

#include "symbolizer/a2n.h"

enum { BUILD_REASON_BYTES = 512 };

struct build_request {
	const char *path; /* path of the module, including `root` */
	const char *root;
	const char *const *debug_roots;
	/* required build-id; .bytes is 0 if any is accepted */
	const struct a2n_build_id *build_id;
	/* time limit for each file; 0 if downloads are not allowed */
	uint32_t download_seconds;
	/*
	 * If not NULL, debug information is not read, and this is the reason
	 * that the index reports.
	 */
	const char *without_debug;
	/*
	 * Symbols are not read either, because an earlier attempt to read them
	 * exceeded a limit.
	 */
	int without_symbols;
};

/*
 * Writes the index to fd. Returns 0 or the same -errno as a2n_module_open().
 * Ends the process if memory is exhausted.
 */
int build_index(const struct build_request *request, int fd);

#endif
