/* SPDX-License-Identifier: MIT */
/* See argument_line.h. */
#include "cli/probes/argument_line.h"
#include "cli/probes/mistyped_function.h"

#include <errno.h>
#include <stdlib.h>

#include "base/fail.h"
#include "base/memory.h"
#include "cli/probes/probe_file.h"
#include "symbolizer/variables/variables.h"
#include "wire/user_probe.h"

struct first_site {
	uint64_t vaddr;
	int is_there;
};

static void note_site(void *context, const struct probe_site *site)
{
	struct first_site *first = context;

	if (first->is_there)
		return;
	first->vaddr = site->vaddr;
	first->is_there = 1;
}

/*
 * Returns whether a parameter is where the calling convention puts it and has a
 * type that can be computed with.
 */
static int is_recordable(const struct variables *all,
			 const struct variable *variable)
{
	const uint8_t kind = all->types[variable->type].kind;

	return variable->kind == VARIABLE_IS_PARAMETER && variable->name &&
	       !variable->function && variable->argument &&
	       variable->place != VARIABLE_IS_NOWHERE &&
	       (kind == TYPE_IS_INTEGER || kind == TYPE_IS_POINTER);
}

/*
 * Returns "record a, b" with the first WIRE_PROBE_FIELDS_MAX parameters that
 * can be recorded, or NULL if there are none.
 */
static char *line_of(const struct variables *all)
{
	char *line = NULL;
	unsigned int count = 0;

	for (uint32_t i = 0; i < all->header.variable_count; i++) {
		const struct variable *variable = &all->list[i];
		char *more;

		if (!is_recordable(all, variable) ||
		    count++ == WIRE_PROBE_FIELDS_MAX)
			continue;
		more = memory_printf("%s%s%s", line ? line : "record ",
				     line ? ", " : "",
				     variables_text(all, variable->name));
		free(line);
		line = more;
	}
	return line;
}

static int line_at(const char *path, uint64_t vaddr, char **out, char **why)
{
	const struct variables_request request = { .path = path,
						   .vaddr = vaddr };
	struct variables all;
	int err = variables_read(&request, &all, why);

	if (err)
		return err;
	*out = line_of(&all);
	variables_free(&all);
	return 0;
}

int argument_line(const struct probe_spec *spec, const char *path, char **out,
		  char **why)
{
	struct first_site first = { 0 };
	struct probe_file file;
	int err = probe_file_open(&file, path, why);

	*out = NULL;
	if (err)
		return err;
	probe_spec_walk(spec, &file.map, note_site, &first);
	if (!first.is_there)
		err = mistyped_function_refuse(&file.image, path,
					       spec->function, why);
	probe_file_close(&file);
	if (err)
		return err;
	return line_at(path, first.vaddr, out, why);
}
