/* SPDX-License-Identifier: MIT */
/* See html.h. */
#include "report/html/html.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "report/html/html_page.h"

/* report/html/page.html, as report/html/html_template.S includes it. */
extern const char html_template[], html_template_end[];

static const char mark[] = "<!--clew-data-->";

/* Numbers contexts in pre-order; siblings with the most calls first. */
static void order_contexts(struct html_page *page)
{
	const struct tree *tree = page->tree;
	uint32_t *stack = memory_zeroed(tree->count, sizeof(*stack));
	size_t depth = 0, count = 0;
	struct tree_order order;

	tree_order(tree, METRIC_CALLS, &order);
	page->order = memory_zeroed(tree->count, sizeof(*page->order));
	page->positions = memory_zeroed(tree->count, sizeof(*page->positions));
	stack[depth++] = TREE_ROOT;
	while (depth > 0) {
		uint32_t node = stack[--depth];

		page->positions[node] = (uint32_t)count;
		page->order[count++] = node;
		for (uint32_t i = order.first[node + 1]; i > order.first[node];
		     i--)
			stack[depth++] = order.children[i - 1];
	}
	tree_order_fini(&order);
	free(stack);
}

static void write_data(FILE *out, struct html_page *page)
{
	struct html_stream stream;

	page->numbers = memory_zeroed(page->catalog->function_count,
				      sizeof(*page->numbers));
	html_page_function(page, FUNCTION_NONE);
	strings_number(&page->files, "");
	order_contexts(page);
	html_stream_begin(&stream, out);
	html_page_contexts(page, &stream);
	html_page_lines(page, &stream);
	if (!page->view->diff) {
		html_page_call_lines(page, &stream);
		html_page_groups(page, &stream);
	}
	html_timeline_write(page, &stream);
	html_page_meta(page, &stream);
	html_stream_end(&stream);
	strings_fini(&page->files);
	idmap_fini(&page->uninlined);
	free(page->call_files);
	free(page->groups);
	free(page->functions);
	free(page->numbers);
	free(page->order);
	free(page->positions);
}

static void write_page(FILE *out, struct html_page *page)
{
	size_t bytes = (size_t)(html_template_end - html_template);
	const char *at = memmem(html_template, bytes, mark, strlen(mark));
	const char *behind = at + strlen(mark);

	fwrite(html_template, 1, (size_t)(at - html_template), out);
	write_data(out, page);
	fwrite(behind, 1, (size_t)(html_template_end - behind), out);
}

int html_write(FILE *out, const struct html_view *view)
{
	struct session *session = view->session;
	struct html_page page = {
		.view = view,
		.session = session,
		.catalog = &session->catalog,
		.tree = &session->tree,
	};
	int is_empty;

	if (view->diff) {
		page.catalog = view->diff->catalog;
		page.tree = &view->diff->after;
	}
	html_timeline_read(&page);
	is_empty = (view->window.from_ns || view->window.to_ns) &&
		   !page.timeline.calls && !page.timeline.samples &&
		   !page.timeline.notes;
	if (!is_empty)
		write_page(out, &page);
	html_timeline_fini(&page.timeline);
	return is_empty ? -ENODATA : 0;
}
