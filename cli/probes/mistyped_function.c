/* SPDX-License-Identifier: MIT */
/* See mistyped_function.h. */
#include "cli/probes/mistyped_function.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/display_text.h"
#include "base/fail.h"
#include "base/memory.h"
#include "base/nearest.h"
#include "cli/recording/needed_libraries.h"
#include "image/symbols.h"

/* Skips mangled C++ names, which users do not type. */
static int offer(void *context, const struct symbol *symbol)
{
	if (symbol->is_function && symbol->is_defined &&
	    strncmp(symbol->name, "_Z", 2) != 0)
		nearest_offer(context, symbol->name, strlen(symbol->name));
	return 0;
}

int mistyped_function_refuse(const struct image *image, const char *path,
			     const char *function, char **why)
{
	struct nearest nearest = nearest_to(function);

	symbols_walk(image, offer, &nearest);
	if (nearest.best)
		return fail(why, -ENOENT,
			    "%s has no function %s; did you mean %s?", path,
			    function, nearest.best);
	return fail(why, -ENOENT, "%s has no function %s", path, function);
}

static int has_function(const struct needed_libraries *files,
			const struct probe_spec *spec)
{
	struct image image;
	int is_found = 0;

	for (size_t i = 0; i < files->count && !is_found; i++) {
		if (image_open(&image, files->items[i].path) != 0)
			continue;
		is_found = probe_spec_is_in(spec, &image);
		image_close(&image);
	}
	return is_found;
}

/* Returns the most similar name in all files, or NULL. The caller frees it. */
static char *nearest_function(const struct needed_libraries *files,
			      const char *function)
{
	struct nearest nearest = nearest_to(function);
	struct image image;
	char *found = NULL;

	for (size_t i = 0; i < files->count; i++) {
		if (image_open(&image, files->items[i].path) != 0)
			continue;
		nearest.best = NULL;
		symbols_walk(&image, offer, &nearest);
		if (nearest.best) {
			free(found);
			found = memory_string(nearest.best,
					      strlen(nearest.best));
		}
		image_close(&image);
	}
	return found;
}

char *mistyped_function_text(const struct probe_spec *spec, const char *program)
{
	struct needed_libraries files;
	char *nearest = NULL, *text = NULL;

	needed_libraries_find(&files, program);
	if (!has_function(&files, spec))
		nearest = nearest_function(&files, spec->function);
	needed_libraries_fini(&files);
	if (nearest)
		text = memory_printf("no function %s in %s and the libraries "
				     "that it needs; did you mean %s?",
				     spec->function, text_basename(program),
				     nearest);
	free(nearest);
	return text;
}
