/* SPDX-License-Identifier: MIT */
/*
 * Reads /etc/ld.so.cache, in which glibc's loader finds libraries by name (see
 * ldconfig(8)).
 */
#ifndef CLEW_CLI_RECORDING_LOADER_CACHE_H
#define CLEW_CLI_RECORDING_LOADER_CACHE_H

#include <stddef.h>

struct loader_cache {
	char *bytes; /* NULL if the file is missing or damaged. */
	size_t size;
};

void loader_cache_open(struct loader_cache *cache);
void loader_cache_close(struct loader_cache *cache);

/*
 * Returns the path of a library for this machine, valid while the cache is
 * open, or NULL. Ignores variants for newer processors (glibc-hwcaps).
 */
const char *loader_cache_find(const struct loader_cache *cache,
			      const char *name);

#endif
