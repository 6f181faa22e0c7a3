/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "report/html_page.h"
#include "report/tally.h"

enum { MOST_INDIVIDUALS = 4 << 20 }; /* contexts of groups, together */

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

static uint64_t hash_text(const char *text)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325); /* FNV-1a */

	while (*text)
		hash = (hash ^ (unsigned char)*text++) *
		       UINT64_C(0x100000001b3);
	return hash | 1; /* odd: even steps never reach the key 0 */
}

uint32_t html_page_file(struct html_page *page, const char *file)
{
	uint64_t hash = hash_text(file);
	uint64_t *slot = idmap_at(&page->by_file, hash);

	while (*slot && strcmp(page->files[*slot - 1], file) != 0)
		slot = idmap_at(&page->by_file, hash += 2);
	if (*slot == 0) {
		page->files =
			memory_grow(page->files, page->file_count,
				    &page->file_capacity, sizeof(*page->files));
		page->files[page->file_count] =
			memory_string(file, strlen(file));
		*slot = ++page->file_count;
	}
	return (uint32_t)*slot - 1;
}

/* ---- Contexts ---- */

static void write_measures(struct html_page *page, struct html_stream *stream)
{
	const struct tree *tree = page->tree;
	struct html_column calls = { 0 }, time = { 0 }, samples = { 0 };
	int has_time = page->session->summary.time != WIRE_TIME_NONE;

	for (size_t i = 0; i < tree->count; i++) {
		const struct measure *self = &tree->nodes[page->order[i]].self;

		html_column_put(&calls, self->calls);
		if (!has_time)
			continue;
		html_column_put(&time, self->ns);
		html_column_put(&samples, self->samples);
	}
	html_stream_column(stream, "calls", &calls);
	if (!has_time)
		return;
	html_stream_column(stream, "time", &time);
	html_stream_column(stream, "samples", &samples);
}

static void write_before(struct html_page *page, struct html_stream *stream)
{
	const struct diff *diff = page->view->diff;
	struct html_column calls = { 0 }, time = { 0 };

	if (!diff)
		return;
	for (size_t i = 0; i < page->tree->count; i++) {
		const struct tree_node *node =
			&diff->before.nodes[page->order[i]];

		html_column_put(&calls, node->self.calls);
		if (diff->metric == METRIC_TIME)
			html_column_put(&time, node->self.ns);
	}
	html_stream_column(stream, "b.calls", &calls);
	if (diff->metric == METRIC_TIME)
		html_stream_column(stream, "b.time", &time);
}

void html_page_contexts(struct html_page *page, struct html_stream *stream)
{
	const struct tree *tree = page->tree;
	struct html_column up = { 0 }, function = { 0 }, tail = { 0 };
	size_t last_tail = 0;

	for (size_t i = 0; i < tree->count; i++) {
		const struct tree_node *node = &tree->nodes[page->order[i]];

		html_column_put(&up, i - page->positions[node->parent]);
		html_column_put(&function,
				html_page_function(page, node->function));
		if (!node->is_tail)
			continue;
		html_column_put(&tail, i - last_tail);
		last_tail = i;
	}
	html_stream_column(stream, "up", &up);
	html_stream_column(stream, "function", &function);
	html_stream_column(stream, "tail", &tail);
	write_measures(page, stream);
	write_before(page, stream);
}

/* ---- Lines that samples fell on ---- */

/* The innermost call that is inlined there, if any, says file and line. */
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
		html_column_put(&lines, html_page_file(page, frames[0].file));
		html_column_put(&lines, frames[0].line);
		html_column_put(&lines, spot->ns);
		html_column_put(&lines, spot->samples);
	}
	html_stream_column(stream, "lines", &lines);
}

/* ---- Processes and threads ---- */

/* What one group did in one context. */
struct individual {
	struct measure self;
	uint32_t group;
	uint32_t context; /* of the page */
};

struct individuals {
	struct individual *items;
	size_t count, capacity;
};

static uint32_t add_group(struct html_page *page, uint32_t function,
			  const struct whose *whose)
{
	page->groups =
		memory_grow(page->groups, page->group_count,
			    &page->group_capacity, sizeof(*page->groups));
	page->groups[page->group_count] = (struct html_group){
		.name = catalog_name(page->catalog, function),
		.is_process = whose->grouping == GROUP_PROCESS,
	};
	return (uint32_t)page->group_count++;
}

/*
 * (caller << 32 | function) -> node, where callers are not inlined functions:
 * those stand between nodes that the tree with groups has next to each other.
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

static void add_individual(struct individuals *all, const struct measure *self,
			   uint32_t group, uint32_t context)
{
	if (self->calls == 0 && self->ns == 0)
		return;
	all->items = memory_grow(all->items, all->count, &all->capacity,
				 sizeof(*all->items));
	all->items[all->count++] = (struct individual){
		.self = *self,
		.group = group,
		.context = context,
	};
}

/*
 * From a tree with groups below its root to contexts of the tree without:
 * parents come before their children in both.
 */
static void sort_out(struct html_page *page, const struct tree *grouped,
		     const struct whose *whose, struct individuals *all)
{
	uint32_t *node = memory_zeroed(grouped->count, sizeof(*node));
	uint32_t *group = memory_zeroed(grouped->count, sizeof(*group));
	struct idmap nodes = { 0 };

	index_nodes(page, &nodes);
	for (size_t i = 1; i < grouped->count; i++) {
		const struct tree_node *from = &grouped->nodes[i];
		const uint64_t *found;

		if (from->parent == TREE_ROOT) {
			group[i] = add_group(page, from->function, whose);
			continue;
		}
		found = idmap_find(&nodes, (uint64_t)node[from->parent] << 32 |
						   from->function);
		node[i] = found ? (uint32_t)*found : node[from->parent];
		group[i] = group[from->parent];
		add_individual(all, &from->self, group[i],
			       page->positions[node[i]]);
	}
	idmap_fini(&nodes);
	free(node);
	free(group);
}

static void add_grouping(struct html_page *page, enum grouping grouping,
			 struct individuals *all)
{
	struct whose whose = *page->view->whose;
	struct session *session = page->session;
	struct timeline timeline = { 0 };
	struct merged merged;
	struct tree grouped;

	whose.grouping = grouping;
	whose.with_timeline = 0;
	tree_init(&grouped);
	merge_recording(&session->recording, &whose, &session->catalog,
			&grouped, &timeline, &merged);
	sort_out(page, &grouped, &whose, all);
	tree_fini(&grouped);
	timeline_fini(&timeline);
}

static int by_group_and_context(const void *left, const void *right)
{
	const struct individual *a = left, *b = right;

	if (a->group != b->group)
		return a->group < b->group ? -1 : 1;
	return a->context < b->context ? -1 : a->context > b->context;
}

static void write_individuals(struct html_page *page,
			      struct html_stream *stream,
			      const struct individuals *all)
{
	int has_time = page->session->summary.time != WIRE_TIME_NONE;
	struct html_column column = { 0 };

	for (size_t i = 0; i < all->count; i++) {
		const struct individual *item = &all->items[i];
		struct html_group *group = &page->groups[item->group];
		int is_first = group->contexts++ == 0;

		group->calls += item->self.calls;
		html_column_put(&column,
				item->context -
					(is_first ? 0 : item[-1].context));
		html_column_put(&column, item->self.calls);
		if (!has_time)
			continue;
		html_column_put(&column, item->self.ns);
		html_column_put(&column, item->self.samples);
	}
	html_stream_column(stream, "groups", &column);
}

/* How many contexts there are if each thread has its own. */
static uint64_t count_individuals(const struct recording *recording)
{
	struct tallies tallies;
	uint64_t count = 0;

	for (size_t i = 0; i < recording->part_count; i++) {
		tallies_init(&tallies, &recording->parts[i]);
		for (size_t j = 0; j < tallies.context_spans; j++)
			count += tallies.contexts[j].count;
		tallies_fini(&tallies);
	}
	return count;
}

void html_page_groups(struct html_page *page, struct html_stream *stream)
{
	const struct summary *summary = &page->session->summary;
	struct individuals all = { 0 };

	if (summary->threads < 2 && summary->processes < 2)
		return;
	page->has_too_many =
		count_individuals(&page->session->recording) > MOST_INDIVIDUALS;
	if (page->has_too_many)
		return;
	if (summary->processes > 1)
		add_grouping(page, GROUP_PROCESS, &all);
	if (summary->threads > 1)
		add_grouping(page, GROUP_THREAD, &all);
	if (all.count > 0)
		qsort(all.items, all.count, sizeof(*all.items),
		      by_group_and_context);
	write_individuals(page, stream, &all);
	free(all.items);
}
