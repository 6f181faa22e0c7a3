/* SPDX-License-Identifier: MIT */
#include "cli/mistyped_function.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/display_text.h"
#include "base/fail.h"
#include "base/memory.h"
#include "base/nearest.h"
#include "cli/needed_libraries.h"
#include "image/symbols.h"

/* Symbols of C++ are not what users type. */
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

/* What is known of a name after some files were read. */
struct mistyped_search {
	const struct probe_spec *spec;
	int is_found;
	size_t distance; /* of `nearest` */
	char *nearest;   /* or NULL */
};

static void search_file(struct mistyped_search *search, const char *path)
{
	struct nearest nearest = nearest_to(search->spec->function);
	struct image image;

	if (image_open(&image, path) != 0)
		return;
	search->is_found = probe_spec_is_in(search->spec, &image);
	if (!search->is_found) {
		nearest.distance = search->distance;
		symbols_walk(&image, offer, &nearest);
	}
	if (nearest.best) {
		free(search->nearest);
		search->nearest =
			memory_string(nearest.best, strlen(nearest.best));
		search->distance = nearest.distance;
	}
	image_close(&image);
}

char *mistyped_function_text(const struct probe_spec *spec, const char *program)
{
	struct mistyped_search search = {
		.spec = spec,
		.distance = nearest_to(spec->function).distance,
	};
	struct needed_libraries needed;
	char *text = NULL;

	needed_libraries_find(&needed, program);
	for (size_t i = 0; i < needed.count && !search.is_found; i++)
		search_file(&search, needed.items[i].path);
	needed_libraries_fini(&needed);
	if (!search.is_found && search.nearest)
		text = memory_printf("no function %s in %s and the libraries "
				     "that it needs; did you mean %s?",
				     spec->function, text_basename(program),
				     search.nearest);
	free(search.nearest);
	return text;
}
