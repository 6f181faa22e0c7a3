/* SPDX-License-Identifier: MIT */
/* See flat.h. */
#include "report/view/flat.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash_index.h"
#include "base/memory.h"
#include "report/view/labels.h"

enum { RECENT_LOG2 = 9 };

/* All edges from a caller to a callee that were counted. */
struct edges {
	struct idmap all;
	/* Some of them, by hash. Most nodes have an edge of a recent node. */
	uint64_t recent[1 << RECENT_LOG2];
};

/* Counts the edge from caller to callee once, in both rows. */
static void count_edge(struct flat_row *rows, struct edges *edges,
		       uint32_t caller, uint32_t callee)
{
	const uint64_t edge = (uint64_t)caller << 32 | callee;
	uint64_t *recent =
		&edges->recent[hash_of_word(edge) >> (32 - RECENT_LOG2)];
	uint64_t *seen;

	if (*recent == edge)
		return;
	*recent = edge;
	seen = idmap_at(&edges->all, edge);
	if (*seen)
		return;
	*seen = 1;
	rows[caller].callees++;
	rows[callee].callers++;
}

static void add_nodes(struct flat_row *rows, const struct tree *tree,
		      const uint32_t *labels, size_t label_count)
{
	uint8_t *outermost = labels_outermost(tree, labels, label_count);
	struct edges edges = { 0 };

	for (size_t i = 1; i < tree->count; i++) {
		const struct tree_node *node = &tree->nodes[i];
		const struct measure self = tree_self(tree, i);
		struct flat_row *row = &rows[labels[i]];

		measure_add(&row->self, &self);
		timing_sum(&row->timing,
			   timings_of_node(&tree->timings, (uint32_t)i));
		if (outermost[i]) {
			const struct measure below = tree_below(tree, i);

			measure_add(&row->total, &below);
		}
		row->contexts += node->is_context;
		if (node->parent != TREE_ROOT)
			count_edge(rows, &edges, labels[node->parent],
				   labels[i]);
	}
	idmap_fini(&edges.all);
	free(outermost);
}

void flat_init(struct flat *flat, const struct tree *tree,
	       const uint32_t *labels, size_t label_count)
{
	struct flat_row *rows = memory_zeroed(label_count, sizeof(*rows));
	size_t kept = 0;

	add_nodes(rows, tree, labels, label_count);
	for (size_t i = 0; i < label_count; i++) {
		if (rows[i].self.calls == 0 && rows[i].total.ns == 0)
			continue;
		rows[kept] = rows[i];
		rows[kept++].function = (uint32_t)i;
	}
	*flat = (struct flat){ .rows = rows, .count = kept };
}

void flat_fini(struct flat *flat)
{
	free(flat->rows);
}

void flat_find_lacking(struct flat *flat, const struct tree *tree,
		       const uint32_t *labels, size_t label_count,
		       const struct catalog *catalog)
{
	uint8_t *lacking = memory_zeroed(label_count, sizeof(*lacking));

	for (size_t i = 1; i < tree->count; i++)
		if (catalog->functions[tree->nodes[i].function].left_out)
			lacking[labels[i]] = 1;
	for (size_t i = 0; i < flat->count; i++)
		flat->rows[i].lacks_calls = lacking[flat->rows[i].function];
	free(lacking);
}

uint64_t flat_per_call_ns(const struct flat_row *row)
{
	return flat_has_per_call(row) ? row->total.ns / row->self.calls : 0;
}

static int descending(uint64_t a, uint64_t b)
{
	return a > b ? -1 : a < b;
}

static int compare_key(enum flat_key key, struct catalog *catalog,
		       const struct flat_row *a, const struct flat_row *b)
{
	switch (key) {
	case FLAT_CALLS:
		return descending(a->self.calls, b->self.calls);
	case FLAT_SELF:
		return descending(a->self.ns, b->self.ns);
	case FLAT_TOTAL:
		return descending(a->total.ns, b->total.ns);
	case FLAT_PER_CALL:
		return descending(flat_per_call_ns(a), flat_per_call_ns(b));
	case FLAT_CONTEXTS:
		return descending(a->contexts, b->contexts);
	case FLAT_CALLERS:
		return descending(a->callers, b->callers);
	case FLAT_CALLEES:
		return descending(a->callees, b->callees);
	case FLAT_NAME:
		return strcmp(catalog_name(catalog, a->function),
			      catalog_name(catalog, b->function));
	case FLAT_MODULE:
		return strcmp(catalog_module_name(catalog, a->function),
			      catalog_module_name(catalog, b->function));
	}
	return 0;
}

struct flat_sorting {
	const struct flat_keys *keys;
	struct catalog *catalog;
};

static int by_keys(const void *left, const void *right, void *context)
{
	const struct flat_row *a = left, *b = right;
	const struct flat_sorting *sorting = context;
	int order;

	for (unsigned int i = 0; i < sorting->keys->count; i++) {
		order = compare_key(sorting->keys->keys[i], sorting->catalog, a,
				    b);
		if (order)
			return order;
	}
	/* Sampled times are often equal, mostly 0. */
	order = descending(a->self.calls, b->self.calls);
	if (order)
		return order;
	return a->function < b->function ? -1 : a->function > b->function;
}

void flat_keep_groups(struct flat *flat, struct catalog *catalog)
{
	size_t kept = 0;

	for (size_t i = 0; i < flat->count; i++)
		if (catalog_kind(catalog, flat->rows[i].function) == KIND_GROUP)
			flat->rows[kept++] = flat->rows[i];
	flat->count = kept;
}

void flat_keep_java(struct flat *flat, const struct catalog *catalog)
{
	size_t kept = 0;

	for (size_t i = 0; i < flat->count; i++)
		if (catalog->functions[flat->rows[i].function].reports_calls)
			flat->rows[kept++] = flat->rows[i];
	flat->count = kept;
}

/*
 * Returns histograms by label; NULL where unknown. Each pair of native and
 * caller is added once.
 */
static struct timing_bins **bins_of_labels(const struct tree *tree,
					   const uint32_t *labels,
					   size_t label_count)
{
	struct timing_bins **of =
		memory_zeroed(label_count, sizeof(struct timing_bins *));
	struct idmap seen = { 0 };

	for (size_t i = 1; i < tree->count; i++) {
		const struct tree_node *node = &tree->nodes[i];
		const uint32_t caller = tree->nodes[node->parent].function;
		const struct timing_bins *bins =
			timings_of_pair(&tree->timings, node->function, caller);
		uint64_t *was_seen;

		if (!bins)
			continue;
		was_seen = idmap_at(&seen,
				    (uint64_t)node->function << 32 | caller);
		if (*was_seen)
			continue;
		*was_seen = 1;
		if (!of[labels[i]])
			of[labels[i]] = memory_zeroed(1, sizeof(**of));
		timing_bins_sum(of[labels[i]], bins);
	}
	idmap_fini(&seen);
	return of;
}

/* Returns the quantile, limited by the longest call. */
static uint64_t bounded_ns(const struct flat_row *row, uint64_t below_ns)
{
	return below_ns < row->timing.max_ns ? below_ns : row->timing.max_ns;
}

void flat_find_quantiles(struct flat *flat, const struct tree *tree,
			 const uint32_t *labels, size_t label_count)
{
	struct timing_bins **of;

	if (tree->timings.pair_count == 0)
		return;
	of = bins_of_labels(tree, labels, label_count);
	for (size_t i = 0; i < flat->count; i++) {
		struct flat_row *row = &flat->rows[i];
		const struct timing_bins *bins = of[row->function];

		if (!bins)
			continue;
		row->has_quantiles = 1;
		row->half_below_ns = bounded_ns(
			row, timings_quantile_ns(&tree->timings, bins, 500));
		row->most_below_ns =
			bounded_ns(row, timings_quantile_ns(&tree->timings,
							    bins, FLAT_MOST));
	}
	flat->has_quantiles = 1;
	for (size_t i = 0; i < label_count; i++)
		free(of[i]);
	free(of);
}

void flat_find_copies(struct flat *flat, const struct jni_usage *usage,
		      struct catalog *catalog)
{
	struct idmap bytes = { 0 };

	for (size_t i = 0; i < usage->count; i++) {
		const struct jni_note *note = &usage->items[i];

		if (note->what == WIRE_JNI_COPY &&
		    note->call.native != FUNCTION_NONE)
			*idmap_at(&bytes, labels_jni(catalog, note->call.native,
						     note->call.java)) +=
				note->amount;
	}
	for (size_t i = 0; i < flat->count; i++) {
		struct flat_row *row = &flat->rows[i];

		row->copied_bytes = *idmap_at(&bytes, row->function);
		if (row->copied_bytes > 0)
			flat->has_copies = 1;
	}
	idmap_fini(&bytes);
}

void flat_sort(struct flat *flat, const struct flat_keys *keys,
	       struct catalog *catalog)
{
	struct flat_sorting sorting = { .keys = keys, .catalog = catalog };

	qsort_r(flat->rows, flat->count, sizeof(*flat->rows), by_keys,
		&sorting);
}

const char *const flat_key_names[FLAT_KEYS_MAX] = {
	[FLAT_CALLS] = "calls",       [FLAT_CONTEXTS] = "contexts",
	[FLAT_SELF] = "self",         [FLAT_TOTAL] = "total",
	[FLAT_PER_CALL] = "per-call", [FLAT_CALLERS] = "callers",
	[FLAT_CALLEES] = "callees",   [FLAT_NAME] = "name",
	[FLAT_MODULE] = "module",
};

static int parse_key(const char *word, size_t length, enum flat_key *out)
{
	for (unsigned int i = 0; i < FLAT_KEYS_MAX; i++) {
		if (strlen(flat_key_names[i]) == length &&
		    memcmp(flat_key_names[i], word, length) == 0) {
			*out = (enum flat_key)i;
			return 0;
		}
	}
	return -EINVAL;
}

int flat_parse_keys(const char *text, struct flat_keys *keys)
{
	struct flat_keys parsed = { 0 };

	for (;;) {
		size_t length = strcspn(text, ",");

		if (parsed.count == FLAT_KEYS_MAX ||
		    parse_key(text, length, &parsed.keys[parsed.count]) != 0)
			return -EINVAL;
		parsed.count++;
		if (text[length] == '\0')
			break;
		text += length + 1;
	}
	*keys = parsed;
	return 0;
}

void flat_select(struct flat *flat, const struct selection *selection,
		 struct catalog *catalog)
{
	size_t kept = 0;

	for (size_t i = 0; i < flat->count; i++) {
		if (selection_has_function(selection, catalog,
					   flat->rows[i].function))
			flat->rows[kept++] = flat->rows[i];
	}
	flat->count = kept;
}
