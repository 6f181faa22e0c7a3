/* SPDX-License-Identifier: MIT */
/* See cmd_probe_vars.h. */
#include "cli/cmd_probe_vars.h"
#include "cli/probes/mistyped_function.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "cli/probes/variable_text.h"

struct vars_listing {
	const struct probe_file *file;
	const char *path;
	unsigned int count;
	char **why;
	int err;
};

static int width_of(int width, const char *text)
{
	const int bytes = (int)strlen(text);

	return bytes > width ? bytes : width;
}

/*
 * Prints a variable's location. A memory address has its own parentheses, or is
 * a register.
 */
static void print_place(const struct variable_site *site,
			const struct variable *variable, struct arena *arena)
{
	const char *why;
	const char *text = variable_text(site, variable, arena, &why);

	if (!text)
		printf("none: %s", why);
	else if (variable->place == VARIABLE_IS_IN_MEMORY)
		printf("at %s", text);
	else
		printf("%s", text);
}

static void print_variable(const struct variable_site *site,
			   const struct variable *variable, int names,
			   int types, struct arena *arena)
{
	const struct variables *all = &site->variables;

	printf("  %-*s  %-*s  ", names, variables_text(all, variable->name),
	       types, variables_text(all, variable->type_text));
	print_place(site, variable, arena);
	if (variable->argument && all->header.is_entry)
		printf("  (arg%u)", variable->argument);
	if (variable->function)
		printf("  of %s, which is inlined",
		       variables_text(all, variable->function));
	printf("\n");
}

static void print_all(const struct variable_site *site)
{
	const struct variables *all = &site->variables;
	struct arena arena = { 0 };
	int names = 0, types = 0;

	printf("%s%s%#" PRIx64 "\n", variables_text(all, all->header.function),
	       all->header.function ? " at " : "at ", site->vaddr);
	for (uint32_t i = 0; i < all->header.variable_count; i++) {
		names = width_of(names, variables_text(all, all->list[i].name));
		types = width_of(types,
				 variables_text(all, all->list[i].type_text));
	}
	for (uint32_t i = 0; i < all->header.variable_count; i++)
		if (all->list[i].name)
			print_variable(site, &all->list[i], names, types,
				       &arena);
	if (!all->header.variable_count)
		printf("  no variables\n");
	arena_fini(&arena);
}

static void print_site(void *context, const struct probe_site *probe_site)
{
	struct vars_listing *listing = context;
	const struct variables_request request = { .path = listing->path,
						   .vaddr = probe_site->vaddr };
	struct variable_site site = { .vaddr = probe_site->vaddr };

	listing->count++;
	if (listing->err)
		return;
	listing->err = variables_read(&request, &site.variables, listing->why);
	if (listing->err)
		return;
	frame_place_find(&listing->file->image, site.vaddr, &site.frame);
	print_all(&site);
	variables_free(&site.variables);
}

int print_probe_variables(const struct probe_file *file, const char *path,
			  const struct probe_spec *spec, char **why)
{
	struct vars_listing listing = { .file = file,
					.path = path,
					.why = why };

	if (!probe_spec_walk(spec, &file->map, print_site, &listing))
		return mistyped_function_refuse(&file->image, path,
						spec->function, why);
	return listing.err;
}
