/* SPDX-License-Identifier: MIT */
/* See nearest_file.h. */
#include "cli/common/nearest_file.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/nearest.h"

char *nearest_file(const char *folder, const char *name)
{
	struct nearest nearest = nearest_to(name);
	DIR *stream = opendir(folder);
	char *found = NULL;
	struct dirent *item;

	while (stream && (item = readdir(stream))) {
		nearest_offer(&nearest, item->d_name, strlen(item->d_name));
		if (!nearest.best)
			continue;
		free(found);
		found = memory_string(item->d_name, strlen(item->d_name));
		nearest.best = NULL;
	}
	if (stream)
		closedir(stream);
	return found;
}
