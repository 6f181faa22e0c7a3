/* SPDX-License-Identifier: MIT */
#include "report/merge.h"

#include <stdlib.h>

#include "base/memory.h"
#include "report/tally.h"
#include "report/threads.h"
#include "wire/id.h"

/* Values of context.node that are no node. */
enum { NODE_UNSEEN = 0, NODE_PENDING = UINT32_MAX };

/* A context of the part at hand. */
struct context {
	uint64_t id;
	uint64_t calls;
	uint32_t function; /* as the process numbers it */
	uint32_t node;     /* in the tree, once it is there */
	uint8_t is_wanted;
	uint8_t is_tail;
};

struct work {
	struct context *contexts;
	size_t count, capacity;
	struct idmap by_id; /* -> index + 1 */
	uint32_t *path;     /* contexts on the way to a known ancestor */
	size_t path_capacity;
	struct numbering numbering;
	struct tallies tallies;
	struct idmap wanted; /* tally number + 1 -> 1; unused if all are */
	int wants_all;
};

static int wants_tally(const struct work *work, uint32_t tally)
{
	return work->wants_all ||
	       idmap_find(&work->wanted, (uint64_t)tally + 1);
}

static void add_context(struct work *work, const struct wire_context *wire,
			int wanted)
{
	uint64_t *slot = idmap_at(&work->by_id, wire->id);

	if (*slot == 0) {
		work->contexts =
			memory_grow(work->contexts, work->count,
				    &work->capacity, sizeof(*work->contexts));
		work->contexts[work->count] = (struct context){
			.id = wire->id,
			.function = wire->function,
		};
		*slot = ++work->count;
	}
	work->contexts[*slot - 1].is_wanted |= wanted;
	work->contexts[*slot - 1].is_tail |= (wire->site & WIRE_SITE_TAIL) != 0;
}

static void add_contexts(struct work *work)
{
	for (size_t i = 0; i < work->tallies.context_spans; i++) {
		const struct context_span *span = &work->tallies.contexts[i];
		int wanted = wants_tally(work, span->tally);

		for (size_t j = 0; j < span->count; j++) {
			if (span->items[j].id != 0)
				add_context(work, &span->items[j], wanted);
		}
	}
}

/* Returns the calls that belong to no context. */
static uint64_t add_counts(struct work *work)
{
	uint64_t strays = 0;

	for (size_t i = 0; i < work->tallies.count_spans; i++) {
		const struct count_span *span = &work->tallies.counts[i];

		if (!wants_tally(work, span->tally))
			continue;
		for (size_t j = 0; j < span->count; j++) {
			const uint64_t *index =
				idmap_find(&work->by_id, span->items[j].id);

			if (index)
				work->contexts[*index - 1].calls +=
					wire_calls(&span->items[j]);
			else if (span->items[j].id != 0)
				strays += wire_calls(&span->items[j]);
		}
	}
	return strays;
}

static struct context *find_context(const struct work *work, uint64_t id)
{
	const uint64_t *index = idmap_find(&work->by_id, id);

	return index ? &work->contexts[*index - 1] : NULL;
}

/*
 * Notes the contexts from this one up to the first whose caller has a node,
 * and returns that node. A caller that is met twice on the way closes a
 * circle, which only a damaged recording holds; it counts as unknown.
 */
static uint32_t climb(struct work *work, struct tree *tree,
		      struct context *context, size_t *length)
{
	for (;;) {
		uint64_t caller_id =
			id_pop(context->id, id_key(context->function));
		struct context *caller;

		context->node = NODE_PENDING;
		work->path =
			memory_grow(work->path, *length, &work->path_capacity,
				    sizeof(*work->path));
		work->path[(*length)++] = (uint32_t)(context - work->contexts);
		if (caller_id == ID_ROOT)
			return TREE_ROOT;
		caller = find_context(work, caller_id);
		if (!caller || caller->node == NODE_PENDING)
			return tree_child(tree, TREE_ROOT,
					  FUNCTION_UNKNOWN_CALLER);
		if (caller->node != NODE_UNSEEN)
			return caller->node;
		context = caller;
	}
}

/* Puts a context and all its callers into the tree. */
static void place(struct work *work, struct tree *tree, struct context *start)
{
	size_t length = 0;
	uint32_t node;

	if (start->node != NODE_UNSEEN)
		return;
	node = climb(work, tree, start, &length);
	while (length > 0) {
		struct context *context = &work->contexts[work->path[--length]];
		uint32_t function =
			numbering_function(&work->numbering, context->function);

		node = tree_child(tree, node, function);
		context->node = node;
		tree->nodes[node].is_tail |= context->is_tail;
	}
}

static void add_nodes(struct work *work, struct tree *tree)
{
	for (size_t i = 0; i < work->count; i++) {
		struct context *context = &work->contexts[i];

		if (!context->is_wanted)
			continue;
		place(work, tree, context);
		tree->nodes[context->node].calls += context->calls;
	}
}

/* Notes whose tallies to read; 0 if nobody's. */
static int select_threads(struct work *work, const struct part *part,
			  const char *wanted, struct merged *merged)
{
	struct threads threads;
	uint64_t matches = 0, sharers = 0;

	work->wants_all = wanted == NULL;
	threads_init(&threads, part);
	for (size_t i = 0; i < threads.count; i++) {
		if (wanted && !thread_is(&threads.items[i], wanted))
			continue;
		matches++;
		*idmap_at(&work->wanted, (uint64_t)threads.items[i].tally + 1) =
			1;
	}
	for (size_t i = 0; i < threads.count; i++)
		sharers += wants_tally(work, threads.items[i].tally);
	threads_fini(&threads);
	merged->threads += matches;
	merged->follow_ups += sharers - matches;
	return work->wants_all || matches > 0;
}

static void merge_part(const struct part *part, const struct whose *whose,
		       struct catalog *catalog, struct tree *tree,
		       struct idmap *pids, struct merged *merged)
{
	struct work work = { 0 };
	uint64_t strays;

	catalog_add_part(catalog, part, &work.numbering);
	if ((whose->pid && whose->pid != part->header->pid) ||
	    !select_threads(&work, part, whose->thread, merged))
		goto fini;
	*idmap_at(pids, (uint64_t)part->header->pid + 1) = 1;
	tallies_init(&work.tallies, part);
	add_contexts(&work);
	strays = add_counts(&work);
	add_nodes(&work, tree);
	if (strays > 0) {
		uint32_t nobody =
			tree_child(tree, TREE_ROOT, FUNCTION_UNKNOWN_CALLER);

		nobody = tree_child(tree, nobody, FUNCTION_UNKNOWN);
		tree->nodes[nobody].calls += strays;
		merged->strays += strays;
	}
	tallies_fini(&work.tallies);
fini:
	numbering_fini(&work.numbering);
	idmap_fini(&work.by_id);
	idmap_fini(&work.wanted);
	free(work.contexts);
	free(work.path);
}

void merge_recording(const struct recording *recording,
		     const struct whose *whose, struct catalog *catalog,
		     struct tree *tree, struct merged *merged)
{
	struct idmap pids = { 0 };

	*merged = (struct merged){ 0 };
	for (size_t i = 0; i < recording->part_count; i++)
		merge_part(&recording->parts[i], whose, catalog, tree, &pids,
			   merged);
	merged->processes = pids.used;
	idmap_fini(&pids);
	tree_sum(tree);
}
