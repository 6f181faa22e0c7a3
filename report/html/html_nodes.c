/* SPDX-License-Identifier: MIT */
/*
 * Finds nodes by caller and function if inlined functions lie in between: trees
 * with groups, and traces, do not contain inlined functions.
 */
#include <stdlib.h>

#include "base/memory.h"
#include "report/html/html_page.h"

static int has_inlines(const struct html_page *page)
{
	for (size_t i = 1; i < page->tree->count; i++) {
		uint32_t function = page->tree->nodes[i].function;

		if (page->catalog->functions[function].kind == KIND_INLINED)
			return 1;
	}
	return 0;
}

/*
 * Builds a map from caller << 32 | function to the node. A caller that is an
 * inlined function is replaced by the nearest caller that is not.
 */
static void index_nodes(const struct html_page *page, struct idmap *nodes)
{
	const struct tree *tree = page->tree;
	uint32_t *caller = memory_zeroed(tree->count, sizeof(*caller));

	for (uint32_t i = 1; i < tree->count; i++) {
		const struct tree_node *node = &tree->nodes[i];
		uint32_t above = tree->nodes[node->parent].function;

		caller[i] = node->parent;
		if (page->catalog->functions[above].kind == KIND_INLINED)
			caller[i] = caller[node->parent];
		*idmap_at(nodes, (uint64_t)caller[i] << 32 | node->function) =
			i;
	}
	free(caller);
}

uint32_t html_page_callee(struct html_page *page, uint32_t caller,
			  uint32_t function)
{
	const uint64_t *found;

	if (!page->is_indexed) {
		page->is_indexed = 1;
		page->has_inlines = has_inlines(page);
		if (page->has_inlines)
			index_nodes(page, &page->uninlined);
	}
	if (!page->has_inlines)
		return tree_find(page->tree, caller, function);
	found = idmap_find(&page->uninlined, (uint64_t)caller << 32 | function);
	return found ? (uint32_t)*found : TREE_ROOT;
}
