/* SPDX-License-Identifier: MIT */
/*
 * The page's column of call lines: where a context is called in its parent, as
 *
 *	distance to the former context with a line, file, line
 *
 * The location is that of the first call in the context. Without source texts
 * only contexts with time have a line, so that pages remain small.
 */
#include <stdlib.h>

#include "base/memory.h"
#include "report/code/annotation.h"
#include "report/code/made_calls.h"
#include "report/html/html_page.h"
#include "report/model/announced_lines.h"
#include "report/view/inlines.h"

struct line_in_parent {
	const char *file; /* file of the line, or NULL if it is unknown */
	uint32_t line;
};

struct lines_in_parents {
	struct line_in_parent *items; /* one for each site in a function */
	size_t count, capacity;
	struct idmap by_site; /* function << 32 | site -> index + 1 */
};

/* Returns the line of the innermost frame at a node's site. */
static struct line_in_parent line_of_call(struct html_page *page,
					  uint32_t function, uint32_t node)
{
	struct a2n_frame frames[CATALOG_FRAMES];
	const uint32_t site = made_call_site(page->session, function, node);

	if (site == 0 ||
	    catalog_site_frames(page->catalog, site,
				page->tree->nodes[node].is_return_site, frames,
				CATALOG_FRAMES) == 0)
		return (struct line_in_parent){ 0 };
	return (struct line_in_parent){ frames[0].file, frames[0].line };
}

static struct line_in_parent find_line(struct html_page *page,
				       struct lines_in_parents *known,
				       uint32_t node)
{
	const struct tree_node *callee = &page->tree->nodes[node];
	struct line_in_parent found = { 0 };
	uint32_t function;
	uint64_t *at;

	if (callee->site == 0 || callee->parent == TREE_ROOT)
		return found;
	if (page->catalog->functions[callee->function].kind == KIND_INLINED) {
		if (!inlined_call_place(page->catalog, callee, &found.file,
					&found.line))
			return (struct line_in_parent){ 0 };
		return found;
	}
	function = annotation_function_of(page->catalog, page->tree,
					  callee->parent);
	at = idmap_at(&known->by_site, (uint64_t)function << 32 | callee->site);
	if (*at == 0) {
		known->items =
			memory_grow(known->items, known->count,
				    &known->capacity, sizeof(*known->items));
		known->items[known->count++] =
			line_of_call(page, function, node);
		*at = known->count;
	}
	return known->items[*at - 1];
}

static void add_file(struct html_page *page, struct idmap *known,
		     uint32_t number, uint32_t site)
{
	uint64_t *is_known = idmap_at(known, (uint64_t)number + 1);

	if (*is_known)
		return;
	*is_known = 1;
	page->call_files = memory_grow(page->call_files, page->call_file_count,
				       &page->call_file_capacity,
				       sizeof(*page->call_files));
	page->call_files[page->call_file_count++] = (struct html_call_file){
		.number = number,
		.module = site_is_announced(page->catalog, site)
				  ? CATALOG_NO_MODULE
				  : page->catalog->sites[site].module,
	};
}

void html_page_call_lines(struct html_page *page, struct html_stream *stream)
{
	const struct tree *tree = page->tree;
	struct lines_in_parents known = { 0 };
	struct html_column column = { 0 };
	struct idmap files = { 0 };
	size_t last = 0;

	for (size_t i = 1; i < tree->count; i++) {
		const uint32_t node = page->order[i];
		const int has_time = tree_below_of(tree, node, METRIC_TIME) > 0;
		uint32_t file;
		struct line_in_parent line;

		if (!page->view->sources && !has_time)
			continue;
		line = find_line(page, &known, node);
		if (!line.file || line.line == 0)
			continue;
		file = strings_number(&page->files, line.file);
		if (has_time)
			add_file(page, &files, file, tree->nodes[node].site);
		html_column_put(&column, i - last);
		html_column_put(&column, file);
		html_column_put(&column, line.line);
		last = i;
	}
	html_stream_column(stream, "callers", &column);
	idmap_fini(&files);
	idmap_fini(&known.by_site);
	free(known.items);
}
