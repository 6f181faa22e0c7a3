/* SPDX-License-Identifier: MIT */
/* What an analysis that is kept on disk is called (analysis_cache.h). */
#ifndef CLEW_IMAGE_CACHE_PATH_H
#define CLEW_IMAGE_CACHE_PATH_H

#include <stddef.h>
#include <stdint.h>

#include "image/analysis.h"

/* It always ends with a NUL. */
struct cache_path {
	char text[4096];
	size_t used;
	int is_too_long; /* something did not fit, and is not there */
};

/*
 * DIR/CONTENT.analysis. 0; -ENOENT: there is no directory, or the module's content is
 * not known; -ENAMETOOLONG.
 */
int cache_path_of(struct cache_path *path, const char *cache_dir,
		  const struct analysis *analysis);

/* Append, if it fits. */
void cache_path_add(struct cache_path *path, const char *text);
void cache_path_add_hex(struct cache_path *path, const uint8_t *bytes,
			size_t count);

#endif
