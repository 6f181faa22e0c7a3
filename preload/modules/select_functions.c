/* SPDX-License-Identifier: MIT */
/* See select_functions.h. */
#include "preload/modules/select_functions.h"

#include "image/image.h"
#include "image/symbols.h"
#include "preload/modules/select.h"
#include "preload/sys/text.h"

struct name_search {
	const struct config *config;
	const struct catalog_entry *entry;
	/* Indexed by function: 0 without a name, 1 selected, 2 excluded. */
	uint8_t *selected;
};

static struct wire_function *find_function(const struct catalog_entry *entry,
					   uint64_t vaddr)
{
	const uint32_t until = wire_functions_until(
		entry->functions, entry->module->function_count, vaddr);

	return until && entry->functions[until - 1].vaddr == vaddr
		       ? &entry->functions[until - 1]
		       : NULL;
}

static int judge_name(void *context, const struct symbol *symbol)
{
	struct name_search *search = context;
	struct wire_function *function;
	uint8_t *selected;

	if (!symbol->is_function || !symbol->is_defined)
		return 0;
	function = find_function(search->entry, symbol->vaddr);
	if (!function)
		return 0;
	selected = &search->selected[function - search->entry->functions];
	if (*selected != 1)
		*selected =
			select_function(search->config, symbol->name) ? 1 : 2;
	return 0;
}

static int is_nameless_selected(const struct config *config, const char *path,
				uint64_t vaddr)
{
	char name[256];
	struct text text = text_in(name, sizeof(name));

	text_string(&text, text_file_name(path));
	text_string(&text, "+0x");
	text_hex(&text, vaddr);
	return select_function(config, name);
}

void select_functions(const struct config *config, const char *path,
		      struct arena *arena, const struct catalog_entry *entry)
{
	uint32_t count = entry->module->function_count;
	struct name_search search = { .config = config,
				      .entry = entry,
				      .selected = arena_alloc(arena, count) };
	struct image image;

	if (!search.selected || image_open(&image, path))
		return;
	symbols_walk(&image, judge_name, &search);
	image_close(&image);
	for (uint32_t i = 0; i < count; i++) {
		struct wire_function *function = &entry->functions[i];
		int in = search.selected[i] == 1;

		if (!search.selected[i])
			in = is_nameless_selected(config, path,
						  function->vaddr);
		if (!in && verdict_class(function->verdict) == VERDICT_HOOKED)
			function->verdict = VERDICT_IS_DESELECTED;
	}
}
