/* SPDX-License-Identifier: MIT */
#include "cli/cache_folder.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"

char *cache_folder(void)
{
	const char *cache = getenv("XDG_CACHE_HOME");
	const char *home = getenv("HOME");

	if (cache && *cache == '/')
		return memory_printf("%s/clew", cache);
	if (home && *home == '/')
		return memory_printf("%s/.cache/clew", home);
	return NULL;
}

void cache_folder_make(const char *path, mode_t mode)
{
	char *part = memory_string(path, strlen(path));

	for (char *at = part + 1; (at = strchr(at, '/')); at++) {
		*at = '\0';
		mkdir(part, mode);
		*at = '/';
	}
	mkdir(part, mode);
	free(part);
}
