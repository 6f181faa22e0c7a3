/* SPDX-License-Identifier: MIT */
/* /etc/ld.so.cache: where the loader of glibc finds libraries by name, see ldconfig(8). */
#ifndef CLEW_CLI_RECORDING_LOADER_CACHE_H
#define CLEW_CLI_RECORDING_LOADER_CACHE_H

#include <stddef.h>

struct loader_cache {
	char *bytes; /* NULL: there is none, or it is damaged */
	size_t size;
};

void loader_cache_open(struct loader_cache *cache);
void loader_cache_close(struct loader_cache *cache);

/*
 * The path of a library for this machine, valid while the cache is open; or NULL.
 * Variants for newer processors (glibc-hwcaps) are not considered.
 */
const char *loader_cache_find(const struct loader_cache *cache,
			      const char *name);

#endif
