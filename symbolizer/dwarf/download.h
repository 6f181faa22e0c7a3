/* SPDX-License-Identifier: MIT */
/*
 * Downloads debug files and sources from debuginfod servers. This needs
 * DEBUGINFOD_URLS and the client library, which is loaded on first use.
 */
#ifndef CLEW_SYMBOLIZER_DWARF_DOWNLOAD_H
#define CLEW_SYMBOLIZER_DWARF_DOWNLOAD_H

#include "symbolizer/a2n.h"

/*
 * Downloads the debug file of a module. Returns 0 and the file's path in the
 * client's cache, which the caller frees, or -errno: -ENOENT if no server has
 * the file, -ELIBACC without client library, -ETIMEDOUT after `seconds`, or an
 * error of the client.
 */
int download_debug_file(const struct a2n_build_id *id, uint32_t seconds,
			char **path);

/*
 * Like download_debug_file(), for a source file. `name` is the file's path in
 * debug information.
 */
int download_source_file(const struct a2n_build_id *id, const char *name,
			 uint32_t seconds, char **path);

#endif
