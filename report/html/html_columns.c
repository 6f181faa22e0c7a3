/* SPDX-License-Identifier: MIT */
/* The page's columns of contexts and lines. */
#include "base/memory.h"
#include "report/html/html_page.h"

uint32_t html_page_function(struct html_page *page, uint32_t function)
{
	if (page->numbers[function] == 0) {
		page->functions = memory_grow(
			page->functions, page->function_count,
			&page->function_capacity, sizeof(*page->functions));
		page->functions[page->function_count++] = function;
		page->numbers[function] = (uint32_t)page->function_count;
	}
	return page->numbers[function] - 1;
}

/* ---- Contexts ---- */

static void write_calls(const struct html_page *page, const struct tree *tree,
			struct html_stream *stream, const char *name)
{
	struct html_column calls = { 0 };

	for (size_t i = 0; i < page->tree->count; i++)
		html_column_put(&calls, tree_self(tree, page->order[i]).calls);
	html_stream_column(stream, name, &calls);
}

/* In most trees, few contexts have a time. */
static void write_times(const struct html_page *page, const struct tree *tree,
			struct html_stream *stream, const char *time_name,
			const char *samples_name)
{
	struct html_column time = { 0 }, samples = { 0 };

	for (size_t i = 0; i < page->tree->count; i++) {
		const struct measure self = tree_self(tree, page->order[i]);

		html_column_put_rare(&time, self.ns);
		html_column_put_rare(&samples, self.samples);
	}
	html_stream_column(stream, time_name, &time);
	html_stream_column(stream, samples_name, &samples);
}

static void write_measures(struct html_page *page, struct html_stream *stream)
{
	write_calls(page, page->tree, stream, "calls");
	if (page->session->value ||
	    page->session->summary.time != WIRE_TIME_NONE)
		write_times(page, page->tree, stream, "time", "samples");
}

static void write_before(struct html_page *page, struct html_stream *stream)
{
	const struct diff *diff = page->view->diff;

	if (!diff)
		return;
	write_calls(page, &diff->before, stream, "b.calls");
	if (diff->metric == METRIC_TIME)
		write_times(page, &diff->before, stream, "b.time", "b.hits");
}

void html_page_contexts(struct html_page *page, struct html_stream *stream)
{
	const struct tree *tree = page->tree;
	struct html_column ended = { 0 }, function = { 0 }, tail = { 0 };
	size_t last_tail = 0;
	uint32_t depth = 0;

	for (size_t i = 0; i < tree->count; i++) {
		const struct tree_node *node = &tree->nodes[page->order[i]];
		const uint64_t tails = tree_self(tree, page->order[i]).tails;

		if (i > 0)
			html_column_put(&ended, depth + 1 - node->depth);
		depth = node->depth;
		html_column_put(&function,
				html_page_function(page, node->function));
		if (tails == 0)
			continue;
		html_column_put(&tail, i - last_tail);
		html_column_put(&tail, tails);
		last_tail = i;
	}
	html_stream_column(stream, "ended", &ended);
	html_stream_column(stream, "function", &function);
	html_stream_column(stream, "tail", &tail);
	write_measures(page, stream);
	write_before(page, stream);
}

/* ---- Lines of samples ---- */

/* Uses the file and line of the innermost call that is inlined there. */
void html_page_lines(struct html_page *page, struct html_stream *stream)
{
	const struct tree *tree = page->tree;
	struct html_column lines = { 0 };

	for (size_t i = 0; i < tree->spot_count; i++) {
		const struct tree_spot *spot = &tree->spots[i];
		struct a2n_frame frames[CATALOG_FRAMES];
		size_t count = catalog_site_frames(page->catalog, spot->site, 0,
						   frames, CATALOG_FRAMES);

		if (count == 0 || !frames[0].file || frames[0].line == 0)
			continue;
		html_column_put(&lines, page->positions[spot->node]);
		html_column_put(&lines,
				strings_number(&page->files, frames[0].file));
		html_column_put(&lines, frames[0].line);
		html_column_put(&lines, spot->ns);
		html_column_put(&lines, spot->samples);
	}
	html_stream_column(stream, "lines", &lines);
}
