/* SPDX-License-Identifier: MIT */
/* See hooking_costs.h. */
#include "report/model/hooking_costs.h"

#include <stdlib.h>
#include <string.h>

#include "base/display_text.h"
#include "base/memory.h"
#include "report/model/function_catalog.h"

static struct hooking_cost *enter(struct hooking_costs *costs,
				  const struct module_record *module)
{
	char *path =
		text_printable(memory_string(module->path, module->path_bytes));

	for (size_t i = 0; i < costs->count; i++)
		if (strcmp(costs->items[i].path, path) == 0) {
			free(path);
			return &costs->items[i];
		}
	costs->items = memory_grow(costs->items, costs->count, &costs->capacity,
				   sizeof(*costs->items));
	costs->items[costs->count] = (struct hooking_cost){ .path = path };
	return &costs->items[costs->count++];
}

static int find_module(const struct part_copy *part,
		       const struct wire_hooking *hooking,
		       struct module_record *out)
{
	struct part_chunk chunk;
	uint64_t cursor = 0;

	while (part_next_chunk(part, &cursor, &chunk))
		if (module_record_of(&chunk, out) &&
		    out->module->base == hooking->base &&
		    out->module->loaded_ns == hooking->loaded_ns)
			return 1;
	return 0;
}

static void add_one(struct hooking_costs *costs, const struct part_copy *part,
		    const struct wire_hooking *hooking)
{
	struct module_record module;
	struct hooking_cost *cost;

	if (!find_module(part, hooking, &module) || module.function_count == 0)
		return;
	cost = enter(costs, &module);
	cost->loads++;
	cost->uncached += !module.module->from_cache;
	cost->analysis_ns += hooking->analysis_ns;
	cost->patch_ns += hooking->patch_ns;
	if (hooking->loaded_ns == 0)
		cost->before_ns += hooking->analysis_ns + hooking->patch_ns;
}

void hooking_costs_add(struct hooking_costs *costs,
		       const struct part_copy *part)
{
	struct part_chunk chunk;
	uint64_t cursor = 0;

	costs->start_ns += part->header->start_cpu_ns;
	while (part_next_chunk(part, &cursor, &chunk)) {
		const struct wire_hooking *items = (const void *)chunk.payload;

		if (chunk.kind != WIRE_HOOKING)
			continue;
		for (size_t i = 0;
		     (i + 1) * sizeof(*items) <= part_chunk_used(&chunk); i++)
			add_one(costs, part, &items[i]);
	}
}

static int by_cost(const void *left, const void *right)
{
	const uint64_t a = hooking_cost_ns(left), b = hooking_cost_ns(right);

	if (a != b)
		return a < b ? 1 : -1;
	return strcmp(((const struct hooking_cost *)left)->path,
		      ((const struct hooking_cost *)right)->path);
}

void hooking_costs_sort(struct hooking_costs *costs)
{
	if (costs->count > 0)
		qsort(costs->items, costs->count, sizeof(*costs->items),
		      by_cost);
}

void hooking_costs_fini(struct hooking_costs *costs)
{
	for (size_t i = 0; i < costs->count; i++)
		free(costs->items[i].path);
	free(costs->items);
}
