/* SPDX-License-Identifier: MIT */
/* See cache_folder.h. */
#include "cli/common/cache_folder.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"

const char *home_folder(void)
{
	const char *home = getenv("HOME");
	struct stat status;

	return home && *home == '/' && stat(home, &status) == 0 &&
			       S_ISDIR(status.st_mode)
		       ? home
		       : NULL;
}

char *cache_folder(void)
{
	const char *cache = getenv("XDG_CACHE_HOME");
	const char *home = home_folder();

	if (cache && *cache == '/')
		return memory_printf("%s/clew", cache);
	if (home)
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
