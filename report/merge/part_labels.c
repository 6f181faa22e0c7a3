/* SPDX-License-Identifier: MIT */
/* See part_labels.h. */
#include "report/merge/part_labels.h"

#include <stdlib.h>

#include "base/memory.h"
#include "report/merge/labelled_counter.h"
#include "report/merge/packet_pool.h"
#include "report/merge/site_names.h"

/* The state while one part is read. */
struct labels_work {
	const struct label_fields *fields;
	struct contexts *contexts;
	struct roots *roots;
	struct site_names sites;
};

/* The state of one worker. */
struct labels_worker {
	const struct trace *trace;
	struct labelled_counter counter;
};

int part_labels_init(struct part_labels *labels, const struct label_wish *wish,
		     const struct part_copy *part,
		     const struct part_packets *packets)
{
	*labels = (struct part_labels){ .packets = packets, .wish = wish };
	if (!packets->is_there)
		return 0;
	if (packets->trace.keeps & WIRE_KEEPS_VALUES)
		label_fields_init(&labels->fields, wish, part);
	return labels->fields.count ||
	       (wish->has_sites && packets->trace.keeps & WIRE_KEEPS_SITES);
}

void part_labels_fini(struct part_labels *labels)
{
	label_fields_fini(&labels->fields);
}

static void take_packet(void *context, struct packet_cursor *cursor,
			size_t packet)
{
	struct labels_worker *worker = context;

	labelled_counter_take(&worker->counter, cursor,
			      worker->trace->packets[packet].tally);
}

/*
 * Stores the node of callers outside a packet's context, which have no labels,
 * in *node. Does not change *node if the tally is not selected.
 */
static void place_around(struct labels_work *work, const struct call_key *key,
			 uint32_t *node)
{
	const uint64_t root = roots_of(work->roots, key->function);
	struct context *context;

	if (root == 0)
		return;
	*node = (uint32_t)root - 1;
	if (key->site == 0)
		return;
	context = contexts_find(work->contexts, key->site);
	*node = context ? contexts_place(work->contexts, context, *node)
			: tree_child(work->contexts->tree, *node,
				     FUNCTION_UNKNOWN_CALLER);
}

/*
 * Copies the values of a set to `values` and returns their number. The caller
 * frees the strings.
 */
static size_t find_values(const struct labels_work *work,
			  const struct value_sets *sets, uint32_t set,
			  struct mark_value *values)
{
	struct label_value value;
	size_t at = 0, count = 0;

	while (value_sets_next(sets, set, &at, &value)) {
		const struct label_fields *fields = work->fields;

		values[count++] = (struct mark_value){
			.name = fields->names[value.probe][value.field],
			.number = value.number,
			.string = value.string
					  ? memory_string(value.string,
							  value.string_bytes)
					  : NULL,
			.format =
				(char)fields->formats[value.probe][value.field],
			.is_missing = value.is_missing,
			.is_cut = value.string &&
				  value.string_bytes ==
					  fields->string_bytes[value.probe]
							      [value.field],
		};
	}
	return count;
}

static uint32_t place_call(struct labels_work *work,
			   const struct value_sets *sets,
			   const struct call_key *key, uint32_t parent)
{
	struct contexts *contexts = work->contexts;
	struct mark_value values[WIRE_PROBE_FIELDS_MAX * WIRE_PROBES_MAX];
	struct call_label label = {
		.function =
			numbering_function(contexts->numbering, key->function),
		.site = key->site ? site_names_find(&work->sites, key->site)
				  : NULL,
		.site_index = key->site && work->sites.by_address
				      ? site_names_site(&work->sites, key->site)
				      : 0,
		.values = values,
		.value_count = find_values(work, sets, key->values, values),
	};
	uint32_t function = label.function;

	if (label.site || label.value_count)
		function = catalog_labelled(contexts->catalog, &label);
	for (size_t i = 0; i < label.value_count; i++)
		free(values[i].string);
	return tree_child(contexts->tree, parent, function);
}

static void add_node(struct labels_work *work, const struct value_sets *sets,
		     const struct call_node *from, uint32_t parent,
		     uint32_t *node)
{
	struct tree *tree = work->contexts->tree;

	*node = place_call(work, sets, &from->key, parent);
	tree->nodes[*node].is_context = 1;
	tree_add(tree, *node,
		 &(struct measure){ .calls = from->calls,
				    .tails = from->tails });
}

/*
 * Returns an array with a flag for each node: whether the node or a node below
 * it has calls. The caller frees the array.
 */
static uint8_t *find_called(const struct call_tree *tree)
{
	uint8_t *is_called = memory_zeroed(tree->count + 1, 1);

	for (size_t i = tree->count; i > 0; i--) {
		const struct call_node *node = &tree->nodes[i - 1];

		is_called[i - 1] |= node->calls != 0;
		if (node->key.parent != CALL_NODE_NONE)
			is_called[node->key.parent] |= is_called[i - 1];
	}
	return is_called;
}

static void add_tree(struct labels_work *work,
		     const struct labelled_counter *counter)
{
	const struct call_tree *tree = &counter->tree;
	uint32_t *nodes = memory_zeroed(tree->count + 1, sizeof(*nodes));
	uint8_t *is_called = find_called(tree);

	for (size_t i = 0; i < tree->count; i++) {
		const struct call_node *from = &tree->nodes[i];
		const uint32_t parent = from->key.parent;

		nodes[i] = CALL_NODE_NONE;
		if (!is_called[i])
			continue;
		if (parent == CALL_NODE_NONE)
			place_around(work, &from->key, &nodes[i]);
		else if (nodes[parent] != CALL_NODE_NONE)
			add_node(work, &counter->values, from, nodes[parent],
				 &nodes[i]);
	}
	free(is_called);
	free(nodes);
}

static void add_taken(struct labels_work *work, const struct taken *taken)
{
	for (size_t i = 0; i < taken->count_count; i++) {
		const struct wire_taken_count *count = &taken->counts[i];
		struct context *context =
			count->calls ? contexts_find(work->contexts, count->id)
				     : NULL;
		const uint64_t root = roots_of(work->roots, count->tally);
		uint32_t node;

		if (!context || root == 0)
			continue;
		node = contexts_place(work->contexts, context,
				      (uint32_t)root - 1);
		tree_add(work->contexts->tree, node,
			 &(struct measure){ .calls = count->calls,
					    .tails = count->tails });
	}
}

void part_labels_add(const struct part_labels *labels,
		     struct contexts *contexts, struct roots *roots)
{
	const struct part_packets *packets = labels->packets;
	struct labels_work work = { .fields = &labels->fields,
				    .contexts = contexts,
				    .roots = roots };
	struct packet_pool pool = { .trace = &packets->trace,
				    .taken = &packets->taken,
				    .take = take_packet };
	const unsigned int count = part_packets_workers(packets);
	struct labels_worker *workers = memory_zeroed(count, sizeof(*workers));

	for (unsigned int i = 0; i < count; i++) {
		workers[i].trace = &packets->trace;
		workers[i].counter.wish = labels->wish;
		workers[i].counter.fields = &labels->fields;
	}
	packet_pool_run(&pool, workers, sizeof(*workers), count);
	site_names_init(&work.sites, contexts->numbering, contexts->catalog);
	work.sites.by_address = labels->wish->by_address;
	for (unsigned int i = 0; i < count; i++) {
		add_tree(&work, &workers[i].counter);
		labelled_counter_fini(&workers[i].counter);
	}
	add_taken(&work, &packets->taken);
	site_names_fini(&work.sites);
	free(workers);
}

void labels_settle(struct tree *tree)
{
	for (size_t i = 0; i < tree->count; i++) {
		const struct measure self = tree_self(tree, i);
		const uint64_t calls = (int64_t)self.calls < 0 ? 0 : self.calls;

		tree_set_calls(tree, (uint32_t)i, calls,
			       self.tails < calls ? self.tails : calls);
	}
}
