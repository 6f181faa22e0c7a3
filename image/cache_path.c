/* SPDX-License-Identifier: MIT */
/* See cache_path.h. */
#include "image/cache_path.h"

#include <errno.h>
#include <string.h>

#define SUFFIX ".analysis"

void cache_path_add(struct cache_path *path, const char *text)
{
	size_t bytes = strlen(text);

	if (bytes >= sizeof(path->text) - path->used) {
		path->is_too_long = 1;
		return;
	}
	memcpy(path->text + path->used, text, bytes + 1);
	path->used += bytes;
}

void cache_path_add_hex(struct cache_path *path, const uint8_t *bytes,
			size_t count)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < count; i++) {
		char text[] = { digits[bytes[i] >> 4], digits[bytes[i] & 15],
				'\0' };

		cache_path_add(path, text);
	}
}

int cache_path_of(struct cache_path *path, const char *cache_dir,
		  const struct analysis *analysis)
{
	path->used = 0;
	path->is_too_long = 0;
	if (!cache_dir || !content_is_known(&analysis->content))
		return -ENOENT;
	cache_path_add(path, cache_dir);
	cache_path_add(path, "/");
	cache_path_add_hex(path, analysis->content.digest,
			   sizeof(analysis->content.digest));
	cache_path_add(path, SUFFIX);
	return path->is_too_long ? -ENAMETOOLONG : 0;
}
