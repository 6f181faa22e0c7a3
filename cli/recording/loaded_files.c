/* SPDX-License-Identifier: MIT */
/* See loaded_files.h. */
#include "cli/recording/loaded_files.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cli/recording/needed_libraries.h"

static int is_there(char *const *list, size_t count, const char *text)
{
	for (size_t i = count; i-- > 0;)
		if (strcmp(list[i], text) == 0)
			return 1;
	return 0;
}

void loaded_files_add(struct loaded_files *files, const char *path)
{
	char *resolved = realpath(path, NULL);

	if (!resolved)
		resolved = memory_string(path, strlen(path));
	if (is_there(files->paths, files->count, resolved)) {
		free(resolved);
		return;
	}
	files->paths = memory_grow(files->paths, files->count, &files->capacity,
				   sizeof(*files->paths));
	files->paths[files->count++] = resolved;
}

static void add_missing(struct loaded_files *files, const char *name)
{
	if (is_there(files->missing, files->missing_count, name))
		return;
	files->missing =
		memory_grow(files->missing, files->missing_count,
			    &files->missing_capacity, sizeof(*files->missing));
	files->missing[files->missing_count++] =
		memory_string(name, strlen(name));
}

void loaded_files_add_needed(struct loaded_files *files, const char *path)
{
	struct needed_libraries needed;

	needed_libraries_find(&needed, path);
	for (size_t i = 1; i < needed.count; i++)
		loaded_files_add(files, needed.items[i].path);
	for (size_t i = 0; i < needed.missing_count; i++)
		add_missing(files, needed.missing[i]);
	needed_libraries_fini(&needed);
}

void loaded_files_fini(struct loaded_files *files)
{
	for (size_t i = 0; i < files->count; i++)
		free(files->paths[i]);
	for (size_t i = 0; i < files->missing_count; i++)
		free(files->missing[i]);
	free(files->paths);
	free(files->missing);
}
