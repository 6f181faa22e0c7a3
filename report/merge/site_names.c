/* SPDX-License-Identifier: MIT */
/* See site_names.h. */
#include "report/merge/site_names.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/display_text.h"
#include "base/memory.h"

void site_names_init(struct site_names *names,
		     const struct numbering *numbering, struct catalog *catalog)
{
	*names = (struct site_names){ .numbering = numbering,
				      .catalog = catalog };
}

void site_names_fini(struct site_names *names)
{
	strings_fini(&names->texts);
	idmap_fini(&names->by_pc);
}

/*
 * Returns the text "file.c:12" for a site, which the caller frees, or NULL if
 * there is no debug information.
 */
static char *find_line(struct catalog *catalog, uint32_t module, uint64_t vaddr)
{
	struct a2n_frame frames[CATALOG_FRAMES];
	const size_t count = catalog_site_frames(
		catalog, catalog_site_at(catalog, module, vaddr), 1, frames,
		CATALOG_FRAMES);

	if (count == 0 || !frames[0].file || !frames[0].line)
		return NULL;
	return memory_printf("%s:%" PRIu32, text_basename(frames[0].file),
			     frames[0].line);
}

static char *find_distance(struct catalog *catalog, uint32_t module,
			   uint64_t vaddr)
{
	const uint32_t caller =
		catalog_function_around(catalog, module, vaddr - 1);

	if (catalog->functions[caller].is_named)
		return memory_printf("%s+0x%" PRIx64,
				     catalog->modules[module].name, vaddr);
	return memory_printf("%s+0x%" PRIx64, catalog_name(catalog, caller),
			     vaddr - catalog->functions[caller].vaddr);
}

/*
 * Returns the name of a call site, which the caller frees. A site outside all
 * modules is in generated code and is named by its address.
 */
static char *find_text(const struct site_names *names, uint64_t pc)
{
	const struct numbering_module *module = numbering_module_at(
		names->numbering, pc - 1, NUMBERING_ANY_TIME);
	char *text;

	if (!module)
		return memory_printf("0x%" PRIx64, pc);
	if (names->by_address)
		return memory_printf(
			"%s+0x%" PRIx64,
			names->catalog->modules[module->module].name,
			pc - module->base);
	text = find_line(names->catalog, module->module, pc - module->base);
	return text ? text
		    : find_distance(names->catalog, module->module,
				    pc - module->base);
}

const char *site_names_find(struct site_names *names, uint64_t pc)
{
	uint64_t *number = idmap_at(&names->by_pc, pc);
	char *text;

	if (*number)
		return names->texts.items[*number - 1];
	text = find_text(names, pc);
	*number = 1 + strings_number(&names->texts, text);
	free(text);
	return names->texts.items[*number - 1];
}

uint32_t site_names_site(const struct site_names *names, uint64_t pc)
{
	const struct numbering_module *module = numbering_module_at(
		names->numbering, pc - 1, NUMBERING_ANY_TIME);

	return module ? catalog_site_at(names->catalog, module->module,
					pc - module->base)
		      : 0;
}
