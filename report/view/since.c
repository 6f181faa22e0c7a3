/* SPDX-License-Identifier: MIT */
/* See since.h. */
#include "report/view/since.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "report/model/announced_lines.h"

#define NOWHERE UINT32_MAX

/*
 * The catalog of the earlier snapshot, and the items of the later catalog that
 * correspond to its items.
 */
struct since {
	struct catalog *from, *to;
	uint32_t *modules;   /* by module; CATALOG_NO_MODULE if there is none */
	uint32_t *functions; /* by function; 0 if it is not determined yet */
};

/* ---- Functions and sites ---- */

static int is_same_module(const struct catalog_module *a,
			  const struct catalog_module *b)
{
	if (a->build_id.bytes != b->build_id.bytes)
		return 0;
	return a->build_id.bytes > 0
		       ? memcmp(a->build_id.data, b->build_id.data,
				a->build_id.bytes) == 0
		       : strcmp(a->path, b->path) == 0;
}

static uint32_t find_module(const struct since *since, uint32_t module)
{
	/* Usually modules have the same order in both catalogs. */
	for (size_t i = 0; i < since->to->module_count; i++) {
		const uint32_t to =
			(uint32_t)((module + i) % since->to->module_count);

		if (is_same_module(&since->to->modules[to],
				   &since->from->modules[module]))
			return to;
	}
	return CATALOG_NO_MODULE;
}

static uint32_t module_in(const struct since *since, uint32_t module)
{
	return module == CATALOG_NO_MODULE ? module : since->modules[module];
}

static uint32_t find_function(struct since *since, uint32_t function)
{
	const struct catalog_function *entry =
		&since->from->functions[function];
	const uint32_t module = module_in(since, entry->module);

	if (entry->is_named || entry->module == CATALOG_NO_MODULE)
		return catalog_named(
			since->to, catalog_kind(since->from, function), module,
			catalog_name(since->from, function));
	return module == CATALOG_NO_MODULE
		       ? FUNCTION_NONE
		       : catalog_function_at(since->to, module, entry->vaddr);
}

/* Returns the function of the later catalog, or FUNCTION_NONE. */
static uint32_t function_since(struct since *since, uint32_t function)
{
	if (function < FUNCTION_FIRST)
		return function;
	if (!since->functions[function])
		since->functions[function] = find_function(since, function);
	return since->functions[function];
}

static uint32_t announced_since(struct since *since,
				const struct catalog_site *site)
{
	const struct announced_frame *from =
		&since->from->announced[site->vaddr];
	struct announced_frame *frames =
		memory_zeroed(site->announced_count, sizeof(*frames));
	uint32_t found;

	for (uint32_t i = 0; i < site->announced_count; i++) {
		frames[i].function = function_since(since, from[i].function);
		frames[i].line = from[i].line;
		if (from[i].file)
			frames[i].file = announced_file(
				since->to,
				since->from->files.items[from[i].file - 1]);
	}
	found = announced_site(since->to, frames, site->announced_count);
	free(frames);
	return found;
}

/* Returns the site of the later catalog; 0: none. */
static uint32_t site_since(struct since *since, uint32_t index)
{
	const struct catalog_site *site = &since->from->sites[index];
	const uint32_t module = site->announced_count
					? CATALOG_NO_MODULE
					: module_in(since, site->module);

	if (site->announced_count)
		return announced_since(since, site);
	return module == CATALOG_NO_MODULE
		       ? 0
		       : catalog_site_at(since->to, module, site->vaddr);
}

/* ---- Measures ---- */

static uint64_t less(uint64_t from, uint64_t by)
{
	return from > by ? from - by : 0;
}

static void subtract_node(struct tree *tree, uint32_t node,
			  const struct measure *by)
{
	const struct measure self = tree_self(tree, node);
	const uint32_t more = tree_more_of(tree, node);

	tree_set_calls(tree, node, less(self.calls, by->calls),
		       less(self.tails, by->tails));
	if (!more)
		return;
	tree_set_ns(tree, node, less(self.ns, by->ns));
	tree->more[more].samples = less(self.samples, by->samples);
}

static void subtract_spot(struct tree *tree, uint32_t node, uint32_t site,
			  const struct tree_spot *by)
{
	const uint64_t *number =
		idmap_find(&tree->spots_at, (uint64_t)node << 32 | site);
	struct tree_spot *spot;

	if (!number)
		return;
	spot = &tree->spots[*number - 1];
	spot->ns = less(spot->ns, by->ns);
	spot->samples = less(spot->samples, by->samples);
}

static void subtract_tree(struct since *since, struct tree *tree,
			  const struct tree *earlier)
{
	uint32_t *moved = memory_zeroed(earlier->count, sizeof(*moved));

	for (size_t i = 1; i < earlier->count; i++) {
		const struct tree_node *node = &earlier->nodes[i];
		const struct measure self = tree_self(earlier, i);
		const uint32_t parent = moved[node->parent];
		const uint32_t function = function_since(since, node->function);

		moved[i] = NOWHERE;
		if (parent != NOWHERE && function)
			moved[i] = tree_find(tree, parent, function);
		if (moved[i] == TREE_ROOT)
			moved[i] = NOWHERE;
		if (moved[i] != NOWHERE)
			subtract_node(tree, moved[i], &self);
	}
	for (size_t i = 0; i < earlier->spot_count; i++) {
		const struct tree_spot *spot = &earlier->spots[i];
		const uint32_t node = moved[spot->node];

		if (node != NOWHERE)
			subtract_spot(tree, node, site_since(since, spot->site),
				      spot);
	}
	free(moved);
}

int session_has_process_of(const struct session *session,
			   const struct session *earlier)
{
	const struct recording *a = &session->recording;
	const struct recording *b = &earlier->recording;

	for (size_t i = 0; i < a->part_count; i++) {
		for (size_t j = 0; j < b->part_count; j++) {
			const struct wire_header *one = a->parts[i].header;
			const struct wire_header *other = b->parts[j].header;

			if (one->pid == other->pid &&
			    one->start_ns == other->start_ns)
				return 1;
		}
	}
	return 0;
}

void session_subtract(struct session *session, struct session *earlier)
{
	struct since since = {
		.from = &earlier->catalog,
		.to = &session->catalog,
	};

	since.modules =
		memory_zeroed(since.from->module_count, sizeof(*since.modules));
	since.functions = memory_zeroed(since.from->function_count,
					sizeof(*since.functions));
	for (uint32_t i = 0; i < since.from->module_count; i++)
		since.modules[i] = find_module(&since, i);
	subtract_tree(&since, &session->tree, &earlier->tree);
	tree_sum(&session->tree);
	free(since.modules);
	free(since.functions);
}
