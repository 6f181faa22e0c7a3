/* SPDX-License-Identifier: MIT */
/* See unmatched.h. */
#include "cli/show/unmatched.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/display_text.h"
#include "base/fail.h"
#include "base/memory.h"
#include "base/nearest.h"
#include "cli/common/command.h"
#include "cli/common/nearest_file.h"

/* ---- Functions and modules ---- */

/* Returns the most similar function name, or NULL. The caller frees it. */
static char *nearest_function(struct catalog *catalog, const char *name)
{
	const char *nearest = selection_nearest(catalog, name);

	return nearest ? selection_plain_name(nearest) : NULL;
}

static const char *nearest_module(const struct catalog *catalog,
				  const char *name)
{
	struct nearest nearest = nearest_to(name);

	for (uint32_t i = 0; i < catalog->module_count; i++)
		nearest_offer(&nearest, catalog->modules[i].name,
			      strlen(catalog->modules[i].name));
	return nearest.best;
}

static void complain_of_module(const char *command, const char *module,
			       const struct catalog *catalog)
{
	const char *nearest = nearest_module(catalog, module);

	if (nearest && strcmp(nearest, module) == 0)
		complain(command,
			 "--module=%s: no function of this module was called",
			 module);
	else if (nearest)
		complain(command,
			 "--module=%s: no module matches; did you mean %s?",
			 module, nearest);
	else
		complain(command,
			 "--module=%s: no module matches; `clew report "
			 "--by=module` lists the modules",
			 module);
}

static void complain_of_function(const char *command, const char *text,
				 struct catalog *catalog)
{
	char *nearest = nearest_function(catalog, text);

	if (nearest && strcmp(nearest, text) != 0)
		complain(command,
			 "--function=%s: no function that was called matches; "
			 "did you mean %s?",
			 text, nearest);
	else
		complain(command,
			 "--function=%s: no function that was called matches",
			 text);
	free(nearest);
}

int unmatched_selection(const char *command, const struct selection *selection,
			struct catalog *catalog)
{
	if (selection->module && selection->function)
		complain(command,
			 "--module=%s --function=%s: no function that was "
			 "called matches both",
			 selection->module, selection->function_text);
	else if (selection->module)
		complain_of_module(command, selection->module, catalog);
	else
		complain_of_function(command, selection->function_text,
				     catalog);
	return EXIT_FAILURE;
}

int unmatched_function(const char *command, const char *function,
		       struct catalog *catalog)
{
	char *nearest = nearest_function(catalog, function);

	if (nearest)
		complain(command,
			 "%s: no such function in the recording; did you mean "
			 "%s?",
			 function, nearest);
	else
		complain(command,
			 "%s: no such function in the recording; `clew report "
			 "--top=0` lists the functions",
			 function);
	free(nearest);
	return EXIT_FAILURE;
}

enum { SEVERAL_LISTED = 5 };

int unmatched_several(const char *command, const char *function,
		      struct catalog *catalog, const uint8_t *candidates,
		      const struct found_functions *found)
{
	complain(
		command,
		"%s: %s%zu%s functions match; name one of them, for example by",
		function,
		found->is_by_regex ? "no function has this name; " : "",
		found->count, found->count == FINDER_LISTED ? " or more" : "");
	for (size_t i = 0; i < found->count && i < SEVERAL_LISTED; i++) {
		char *text =
			finder_text(catalog, candidates, found->functions[i]);

		fprintf(stderr, "  '%s'\n", text);
		free(text);
	}
	return EXIT_FAILURE;
}

/* ---- Recordings ---- */

/*
 * Returns the path with the most similar name in the same directory, or NULL.
 * The caller frees it.
 */
static char *nearest_path(const char *path)
{
	const char *name = text_basename(path);
	char *folder = memory_string(path, (size_t)(name - path));
	char *nearest = nearest_file(*folder ? folder : ".", name);
	char *found = nearest ? memory_printf("%s%s", folder, nearest) : NULL;

	free(nearest);
	free(folder);
	return found;
}

void unmatched_recording(const char *path, int err, char **why)
{
	char *nearest;

	if (err != -ENOENT)
		return;
	free(*why);
	nearest = nearest_path(path);
	if (nearest)
		fail(why, err, "%s: no such recording; did you mean %s?", path,
		     nearest);
	else if (strcmp(path, DEFAULT_RECORDING) == 0)
		fail(why, err,
		     "%s: no such recording; record first: clew record -- CMD",
		     path);
	else if (strpbrk(path, "*?["))
		fail(why, err,
		     "%s: no such recording: the pattern matches no file",
		     path);
	else
		fail(why, err,
		     "%s: no such recording; record first: clew record -o %s "
		     "-- CMD",
		     path, path);
	free(nearest);
}
