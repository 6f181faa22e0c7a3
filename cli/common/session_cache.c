/* SPDX-License-Identifier: MIT */
/* See session_cache.h. */
#include "cli/common/session_cache.h"

#include <dirent.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/memory.h"

char *session_cache_make(const char *cache)
{
	char *path = memory_printf("%s/" SESSION_CACHE_PREFIX "XXXXXX", cache);

	if (mkdtemp(path))
		return path;
	free(path);
	return NULL;
}

void session_cache_remove(char *path)
{
	DIR *stream = path ? opendir(path) : NULL;
	struct dirent *entry;

	while (stream && (entry = readdir(stream)))
		if (entry->d_type != DT_DIR)
			unlinkat(dirfd(stream), entry->d_name, 0);
	if (stream)
		closedir(stream);
	if (path)
		rmdir(path);
	free(path);
}
