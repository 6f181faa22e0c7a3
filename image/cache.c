/* SPDX-License-Identifier: MIT */
#include "image/cache.h"

#include <errno.h>

int cache_load(const char *cache_dir, struct arena *arena,
	       struct analysis *analysis)
{
	return -ENOENT;
}

int cache_store(const char *cache_dir, const struct analysis *analysis)
{
	return -ENOENT;
}
