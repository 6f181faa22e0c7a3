/* SPDX-License-Identifier: MIT */
/* JSON of a tree: contexts that refer to their parents by number. */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "report/model/announced_lines.h"
#include "report/write/json.h"

/*
 * Returns whether a node is shown. A shown node's ancestors are also shown,
 * since none has less.
 */
static int is_shown(const struct tree_view *view, enum metric metric,
		    uint32_t index)
{
	const struct tree_node *node = &view->tree->nodes[index];
	uint64_t all = tree_below_of(view->tree, TREE_ROOT, metric);
	double least = ceil(view->limits.threshold_percent / 100 * (double)all);

	return (double)tree_below_of(view->tree, index, metric) >= least &&
	       (view->limits.depth == 0 || node->depth <= view->limits.depth);
}

static json_t *measure_json(const struct session *session,
			    const struct tree *tree, uint32_t index)
{
	const struct measure self = tree_self(tree, index);
	const struct measure below = tree_below(tree, index);

	return json_pack(
		"{sIsIsIsIsIsI}", "calls", (json_int_t)self.calls, "tail",
		(json_int_t)self.tails, "below", (json_int_t)below.calls,
		session->value ? "self_value" : "self_ns", (json_int_t)self.ns,
		session->value ? "below_value" : "below_ns",
		(json_int_t)below.ns, "samples", (json_int_t)self.samples);
}

static json_t *changed_node(const struct session *session,
			    const struct diff *diff, uint32_t index,
			    uint32_t function)
{
	const struct tree_node *node = &diff->changes.nodes[index];

	return json_pack("{sisisisoso}", "id", (int)index, "parent",
			 (int)node->parent, "function", (int)function, "before",
			 measure_json(session, &diff->before, index), "after",
			 measure_json(session, &diff->after, index));
}

/* Adds the location where a Java method calls the function. */
static void add_call_place(json_t *json, const struct catalog *catalog,
			   uint32_t site)
{
	const char *file;
	uint32_t line;

	if (announced_site_place(catalog, site, &file, &line))
		json_object_set_new(json, "called_at",
				    json_pack("{soso}", "file", json_text(file),
					      "line", json_number(line)));
}

static json_t *node_of(const struct tree_view *view,
		       const struct session *session, uint32_t index,
		       uint32_t function)
{
	const struct tree_node *node = &view->tree->nodes[index];
	const struct measure self = tree_self(view->tree, index);
	const struct measure below = tree_below(view->tree, index);
	json_t *json;

	if (view->diff)
		return changed_node(session, view->diff, index, function);
	json = json_pack(
		"{sisisisIsIsIsIsIsI}", "id", (int)index, "parent",
		(int)node->parent, "function", (int)function, "calls",
		(json_int_t)self.calls, "below", (json_int_t)below.calls,
		session->value ? "self_value" : "self_ns", (json_int_t)self.ns,
		session->value ? "below_value" : "below_ns",
		(json_int_t)below.ns, "samples", (json_int_t)self.samples,
		"tail", (json_int_t)self.tails);
	add_call_place(json, &session->catalog, node->site);
	return json;
}

static void write_functions(struct json_stream *object, struct catalog *catalog,
			    const uint32_t *functions, uint32_t count)
{
	struct json_stream array = json_begin(object, "functions", "[");

	for (uint32_t i = 0; i < count; i++)
		json_member(&array, NULL, json_function(catalog, functions[i]));
	json_end(&array, "]");
}

void json_tree(FILE *out, struct session *session, const struct tree_view *view)
{
	struct json_stream file = { .out = out }, object, contexts;
	size_t catalog_count = session->catalog.function_count;
	/* Writes only functions that occur, numbered in order of occurrence. */
	uint32_t *functions = memory_zeroed(catalog_count, sizeof(*functions));
	uint32_t *numbers = memory_zeroed(catalog_count, sizeof(*numbers));
	uint32_t count = 0;

	object = json_begin(&file, NULL, "{");
	json_summary(&object, session);
	contexts = json_begin(&object, "contexts", "[");
	for (uint32_t i = 1; i < view->tree->count; i++) {
		uint32_t function = view->tree->nodes[i].function;

		if (!is_shown(view, session->metric, i))
			continue;
		if (numbers[function] == 0) {
			functions[count] = function;
			numbers[function] = ++count;
		}
		json_member(&contexts, NULL,
			    node_of(view, session, i, numbers[function] - 1));
	}
	json_end(&contexts, "]");
	write_functions(&object, &session->catalog, functions, count);
	json_end(&object, "}\n");
	free(functions);
	free(numbers);
}
