/* SPDX-License-Identifier: MIT */
/*
 * Debug files from a debuginfod server: only where DEBUGINFOD_URLS is set and
 * the client library is installed, which is loaded when it is needed.
 */
#ifndef CLEW_SYMBOLIZER_INDEXER_DOWNLOAD_H
#define CLEW_SYMBOLIZER_INDEXER_DOWNLOAD_H

#include "symbolizer/a2n.h"

/*
 * The path of the file in the client's own cache; free() it. 0, or -errno:
 * -ENOENT the servers do not have it, -ELIBACC there is no client library,
 * -ETIMEDOUT it took longer than that, and whatever the client says.
 */
int download_debug_file(const struct a2n_build_id *id, uint32_t seconds,
			char **path);

#endif
