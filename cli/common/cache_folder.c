/* SPDX-License-Identifier: MIT */
/* See cache_folder.h. */
#include "cli/common/cache_folder.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"

/*
 * Returns whether the folder exists. clew creates no home directory: daemons
 * often have one that does not exist.
 */
static int is_folder(const char *path)
{
	struct stat status;

	return path && *path == '/' && stat(path, &status) == 0 &&
	       S_ISDIR(status.st_mode);
}

char *cache_folder(void)
{
	const char *cache = getenv("XDG_CACHE_HOME");
	const char *home = getenv("HOME");

	if (cache && *cache == '/')
		return memory_printf("%s/clew", cache);
	if (is_folder(home))
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
