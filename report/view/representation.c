/* SPDX-License-Identifier: MIT */
/* See representation.h. */
#include "report/view/representation.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* ---- Any representation ---- */

static uint32_t step_to(const struct tree_node *node, struct catalog *catalog,
			representation_step step, void *context,
			uint32_t parent)
{
	return catalog_kind(catalog, node->function) == KIND_GROUP
		       ? node->function
		       : step(context, parent, node->function);
}

void tree_represent(const struct tree *tree, struct catalog *catalog,
		    representation_step step, void *context,
		    struct tree *represented)
{
	uint32_t *moved = memory_zeroed(tree->count, sizeof(*moved));

	tree_init(represented);
	for (size_t i = 1; i < tree->count; i++) {
		const struct tree_node *node = &tree->nodes[i];
		const struct measure self = tree_self(tree, i);
		const uint32_t at = moved[node->parent];
		const uint32_t parent = represented->nodes[at].function;
		const uint32_t label =
			step_to(node, catalog, step, context, parent);

		moved[i] = at != TREE_ROOT && label == parent
				   ? at
				   : tree_child(represented, at, label);
		tree_add(represented, moved[i], &self);
		represented->nodes[moved[i]].is_context |= node->is_context;
	}
	free(moved);
	tree_sum(represented);
}

/* ---- By module, file or class ---- */

const char *const representation_names[REPRESENT_COUNT] = {
	[REPRESENT_MODULE] = "module",
	[REPRESENT_FILE] = "file",
	[REPRESENT_CLASS] = "class",
};

struct stand_ins {
	struct catalog *catalog;
	enum represented_by by;
	/*
	 * By function: the function that represents it; 0: not yet determined.
	 */
	uint32_t *of;
	size_t count;
};

static uint32_t module_of(struct catalog *catalog, uint32_t function)
{
	const uint32_t module = catalog->functions[function].module;

	return module == CATALOG_NO_MODULE
		       ? function
		       : catalog_named(catalog, KIND_GROUP, module,
				       catalog->modules[module].name);
}

static uint32_t file_of(struct catalog *catalog, uint32_t function)
{
	const char *file;
	uint32_t line;

	return catalog_place(catalog, function, &file, &line)
		       ? catalog_named(catalog, KIND_GROUP,
				       catalog->functions[function].module,
				       file)
		       : module_of(catalog, function);
}

/*
 * Returns the length of the class in a name: up to the last "::" (in Java ".")
 * before the parameters, outside of brackets. 0 if there is none.
 */
static size_t class_length(const char *name, int is_java)
{
	size_t length = 0;
	int depth = 0;

	for (size_t i = 0; name[i]; i++) {
		if (name[i] == '(' && !depth && i)
			break;
		if (strchr("<([{", name[i]))
			depth++;
		else if (strchr(">)]}", name[i]) && depth)
			depth--;
		else if (!depth && is_java && name[i] == '.')
			length = i;
		else if (!depth && !strncmp(name + i, "::", 2))
			length = i;
	}
	return length;
}

static uint32_t class_of(struct catalog *catalog, uint32_t function)
{
	const enum function_kind kind = catalog_kind(catalog, function);
	const char *name = catalog_name(catalog, function);
	const size_t length =
		class_length(name, kind == KIND_JAVA || kind == KIND_JNI);
	char *text;
	uint32_t label;

	if (!length)
		return function;
	text = memory_string(name, length);
	label = catalog_named(catalog, KIND_GROUP,
			      catalog->functions[function].module, text);
	free(text);
	return label;
}

static uint32_t make_stand_in(const struct stand_ins *all, uint32_t function)
{
	switch (all->by) {
	case REPRESENT_MODULE:
		return module_of(all->catalog, function);
	case REPRESENT_FILE:
		return file_of(all->catalog, function);
	default:
		return class_of(all->catalog, function);
	}
}

static uint32_t stand_in(void *context, uint32_t parent, uint32_t function)
{
	struct stand_ins *all = context;

	(void)parent;
	if (!all->of[function])
		all->of[function] = make_stand_in(all, function);
	return all->of[function];
}

void tree_represent_by(const struct tree *tree, struct catalog *catalog,
		       enum represented_by by, struct tree *represented)
{
	struct stand_ins all = {
		.catalog = catalog,
		.by = by,
		.of = memory_zeroed(catalog->function_count, sizeof(*all.of)),
	};

	tree_represent(tree, catalog, stand_in, &all, represented);
	free(all.of);
}
