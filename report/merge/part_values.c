/* SPDX-License-Identifier: MIT */
/* See part_values.h. */
#include "report/merge/part_values.h"

#include <string.h>

#include "report/recording/imported_reader.h"
#include "report/recording/values_reader.h"
#include "wire/id.h"

/*
 * Returns the node of a row's context below `root`; for rows without a recorded
 * context a node that stands for such rows.
 */
static uint32_t node_of(struct contexts *contexts,
			const struct wire_value_row *row, uint32_t root)
{
	struct context *context;
	uint32_t nobody;

	if (row->state == WIRE_ROW_OTHERS)
		return tree_child(contexts->tree, root, FUNCTION_FOLDED);
	context = row->id == ID_ROOT ? NULL : contexts_find(contexts, row->id);
	if (context)
		return contexts_place(contexts, context, root);
	nobody = row->id == ID_ROOT
			 ? catalog_named(contexts->catalog, KIND_NOTE,
					 CATALOG_NO_MODULE, "(no context)")
			 : FUNCTION_UNKNOWN_CALLER;
	return tree_child(contexts->tree, root, nobody);
}

static void add_column(struct value_list *list,
		       const struct recorded_values *values, uint32_t column)
{
	struct value_sum *sum = value_list_enter(list, &values->kinds[column]);

	for (uint32_t i = 0; i < values->count; i++) {
		const struct wire_value_row *row = recorded_row(values, i);
		const int64_t value = recorded_row_values(row)[column];

		if (row->state == WIRE_ROW_FREE || value == 0)
			continue;
		/*
		 * The arithmetic is unsigned, because values of a damaged
		 * recording may overflow.
		 */
		sum->total = (int64_t)((uint64_t)sum->total + (uint64_t)value);
		sum->rows++;
	}
}

/*
 * Adds a column. With `is_sampled`, the first column is the number of samples
 * from which the others are estimated.
 */
static void place_column(const struct recorded_values *values, uint32_t column,
			 int is_sampled, struct contexts *contexts,
			 uint32_t root)
{
	for (uint32_t i = 0; i < values->count; i++) {
		const struct wire_value_row *row = recorded_row(values, i);
		const int64_t value = recorded_row_values(row)[column];
		const int64_t samples =
			is_sampled ? recorded_row_values(row)[0] : 0;
		uint32_t node;

		if (row->state == WIRE_ROW_FREE || value == 0)
			continue;
		node = node_of(contexts, row, root);
		tree_add(contexts->tree, node,
			 &(struct measure){
				 .ns = (uint64_t)value,
				 .samples = samples > 0 ? (uint64_t)samples : 0,
			 });
	}
}

void part_values_add(struct value_list *list, const struct part_copy *part,
		     struct contexts *contexts, uint32_t root,
		     const char *wanted)
{
	struct recorded_values values;
	struct recorded_import import;
	struct part_chunk chunk;
	uint64_t cursor = 0;
	const int is_sampled = import_of(part, &import) &&
			       (import.flags & WIRE_IMPORT_SAMPLES);

	while (part_next_chunk(part, &cursor, &chunk)) {
		if (!recorded_values_of(&chunk, &values))
			continue;
		for (uint32_t i = 0; i < values.columns; i++) {
			add_column(list, &values, i);
			if (wanted && strcmp(values.kinds[i].name, wanted) == 0)
				place_column(&values, i, is_sampled, contexts,
					     root);
		}
	}
}

void values_settle(struct tree *tree)
{
	for (size_t i = 0; i < tree->count; i++)
		if ((int64_t)tree_self(tree, i).ns < 0)
			tree_set_ns(tree, (uint32_t)i, 0);
}
