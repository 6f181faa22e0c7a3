/* SPDX-License-Identifier: MIT */
/* The file name of a stored analysis (analysis_cache.h). */
#ifndef CLEW_IMAGE_CACHE_PATH_H
#define CLEW_IMAGE_CACHE_PATH_H

#include <stddef.h>
#include <stdint.h>

#include "image/analysis.h"

/* A path; always ends with a NUL. */
struct cache_path {
	char text[4096];
	size_t used;
	int is_too_long; /* something did not fit and is missing */
};

/*
 * Sets DIR/CONTENT.analysis. Returns 0; -ENOENT if there is no directory, or
 * the module's content is unknown; or -ENAMETOOLONG.
 */
int cache_path_of(struct cache_path *path, const char *cache_dir,
		  const struct analysis *analysis);

/* Append text, if it fits. */
void cache_path_add(struct cache_path *path, const char *text);
void cache_path_add_hex(struct cache_path *path, const uint8_t *bytes,
			size_t count);

#endif
