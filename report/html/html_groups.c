/* SPDX-License-Identifier: MIT */
/*
 * Measures of single processes and threads, by contexts of the page.
 *
 * The page's tree contains all threads. The recording is merged a second time
 * with processes or threads below the root, and each path is looked up in the
 * page's tree.
 */
#include <stdlib.h>

#include "base/memory.h"
#include "report/html/html_page.h"
#include "report/merge/part_tallies.h"

/*
 * Maximum number of contexts in all groups, since each takes memory a second
 * time.
 */
enum { MOST_INDIVIDUALS = 1 << 20 };

/* Measures of one group in one context. */
struct individual {
	struct measure self;
	uint32_t group;
	uint32_t context; /* the context's number in the page */
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
		.name = catalog_marked_name(page->catalog, function),
		.function = function,
		.is_process = whose->grouping == GROUP_PROCESS,
	};
	return (uint32_t)page->group_count++;
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
 * Maps the contexts of a tree with groups to those of the tree without. Parents
 * precede their children in both.
 */
static void sort_out(struct html_page *page, const struct tree *grouped,
		     const struct whose *whose, struct individuals *all)
{
	uint32_t *node = memory_zeroed(grouped->count, sizeof(*node));
	uint32_t *group = memory_zeroed(grouped->count, sizeof(*group));

	for (size_t i = 1; i < grouped->count; i++) {
		const struct tree_node *from = &grouped->nodes[i];
		const struct measure self = tree_self(grouped, i);
		uint32_t found;

		if (from->parent == TREE_ROOT) {
			group[i] = add_group(page, from->function, whose);
			continue;
		}
		found = html_page_callee(page, node[from->parent],
					 from->function);
		node[i] = found ? found : node[from->parent];
		group[i] = group[from->parent];
		add_individual(all, &self, group[i], page->positions[node[i]]);
	}
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
	jni_usage_fini(&merged.jni);
	value_list_fini(&merged.values);
	mark_list_fini(&merged.marks);
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
	const int has_time = page->session->value ||
			     page->session->summary.time != WIRE_TIME_NONE;
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

static uint64_t count_valid(const struct context_span *span)
{
	uint64_t count = 0;

	for (size_t i = 0; i < span->count; i++)
		count += span->items[i].id != 0;
	return count;
}

static void count_in_part(void *context, const struct part_copy *part)
{
	uint64_t *count = context;
	struct part_tallies tallies;

	part_tallies_init(&tallies, part);
	for (size_t i = 0; i < tallies.context_spans; i++)
		*count += count_valid(&tallies.contexts[i]);
	part_tallies_fini(&tallies);
}

/* Counts the contexts, each as often as there are threads that have it. */
static uint64_t count_individuals(struct recording *recording)
{
	uint64_t count = 0;

	recording_each(recording, count_in_part, &count);
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
	if (summary->threads > 1 && !page->session->value)
		add_grouping(page, GROUP_THREAD, &all);
	if (all.count > 0)
		qsort(all.items, all.count, sizeof(*all.items),
		      by_group_and_context);
	write_individuals(page, stream, &all);
	free(all.items);
}
