/* SPDX-License-Identifier: MIT */
/* See made_calls.h. */
#include "report/code/made_calls.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "report/code/annotation.h"
#include "report/model/announced_lines.h"

/*
 * Returns whether a node is called by another one. A function that is inlined
 * is not called, except by an inlined function that is shown for itself.
 */
static int is_call(const struct catalog *catalog, const struct tree *tree,
		   uint32_t function, uint32_t node)
{
	return catalog->functions[tree->nodes[node].function].kind !=
		       KIND_INLINED ||
	       catalog->functions[function].kind == KIND_INLINED;
}

/* Returns whether a node's code is the function's. */
static int is_own(const struct catalog *catalog, const struct tree *tree,
		  uint32_t function, uint32_t node)
{
	if (catalog->functions[function].kind == KIND_INLINED)
		return tree->nodes[node].function == function;
	return annotation_function_of(catalog, tree, node) == function;
}

void made_calls_find(struct made_calls *calls, const struct session *session,
		     uint32_t function)
{
	const struct catalog *catalog = &session->catalog;
	const struct tree *tree = &session->tree;

	calls->is_own = memory_zeroed(tree->count, sizeof(*calls->is_own));
	calls->nearest = memory_zeroed(tree->count, sizeof(*calls->nearest));
	for (uint32_t i = TREE_ROOT + 1; i < tree->count; i++) {
		const uint32_t caller = tree->nodes[i].parent;

		calls->is_own[i] = is_own(catalog, tree, function, i) != 0;
		calls->nearest[i] = calls->nearest[caller];
		if (!calls->is_own[caller]) {
			if (calls->is_own[i] && !calls->nearest[i])
				calls->total_ns +=
					tree_below_of(tree, i, METRIC_TIME);
			continue;
		}
		if (tree_below_of(tree, i, METRIC_TIME) == 0 &&
		    tree->nodes[i].calls == 0)
			continue;
		if (!is_call(catalog, tree, function, i))
			continue;
		calls->items =
			memory_grow(calls->items, calls->count,
				    &calls->capacity, sizeof(*calls->items));
		calls->items[calls->count++] = (struct made_call){
			.node = i,
			.outer = calls->nearest[caller],
		};
		calls->nearest[i] = (uint32_t)calls->count;
	}
}

void made_calls_fini(struct made_calls *calls)
{
	free(calls->items);
	free(calls->nearest);
	free(calls->is_own);
}

static int has_frame_of(const struct a2n_frame *frames, size_t count,
			const struct catalog_function *entry)
{
	for (size_t i = 0; i + 1 < count; i++)
		if (frames[i].name && entry->name &&
		    strcmp(frames[i].name, entry->name) == 0)
			return 1;
	return 0;
}

/* Returns whether a call from a site of a module is one of the function. */
static int is_in_function(struct catalog *catalog, uint32_t function,
			  uint32_t site, int is_return)
{
	const struct catalog_function *entry = &catalog->functions[function];
	const uint64_t vaddr = catalog->sites[site].vaddr - (is_return != 0);
	struct a2n_frame frames[CATALOG_FRAMES];
	const struct a2n_frame *outermost;
	size_t count;

	if (catalog->sites[site].module != entry->module)
		return 0;
	if (!entry->is_named && vaddr >= entry->vaddr &&
	    vaddr - entry->vaddr < entry->size_bytes)
		return 1;
	count = catalog_site_frames(catalog, site, is_return, frames,
				    CATALOG_FRAMES);
	if (count == 0 || count > CATALOG_FRAMES)
		return 0;
	if (entry->kind == KIND_INLINED)
		return has_frame_of(frames, count, entry);
	outermost = &frames[count - 1];
	return (!entry->is_named && outermost->start == entry->vaddr) ||
	       (outermost->name &&
		catalog_is_part(catalog, outermost->name, function));
}

uint32_t made_call_site(struct session *session, uint32_t function,
			uint32_t node)
{
	struct catalog *catalog = &session->catalog;
	const struct tree_node *callee = &session->tree.nodes[node];
	int is_inside;

	if (callee->site == 0)
		return 0;
	is_inside = site_is_announced(catalog, callee->site)
			    ? whole_function(catalog,
					     announced_function(
						     catalog, callee->site)) ==
				      function
			    : is_in_function(catalog, function, callee->site,
					     callee->is_return_site);
	return is_inside ? callee->site : 0;
}
