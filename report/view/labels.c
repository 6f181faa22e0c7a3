/* SPDX-License-Identifier: MIT */
/* See labels.h. */
#include "report/view/labels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* Returns the function that stands for the module of a function. */
static uint32_t module_label(struct catalog *catalog, uint32_t function,
			     uint32_t *of_module)
{
	uint32_t module = catalog->functions[function].module;

	if (module == CATALOG_NO_MODULE)
		return function;
	if (of_module[module] == 0)
		of_module[module] =
			catalog_named(catalog, KIND_GROUP, module,
				      catalog->modules[module].name);
	return of_module[module];
}

/*
 * Returns the function that stands for a JNI function with its caller; for any
 * other function, the function itself.
 */
static uint32_t jni_env_label(struct catalog *catalog, const struct tree *tree,
			      const struct tree_node *node)
{
	const char *name;
	char *text;
	uint32_t label;

	if (catalog->functions[node->function].module != CATALOG_NO_MODULE)
		return node->function;
	name = catalog_name(catalog, node->function);
	if (strncmp(name, JNI_ENV_PREFIX, strlen(JNI_ENV_PREFIX)) != 0)
		return node->function;
	text = memory_printf(
		"%s" LABEL_JNI_FROM "%s", name,
		node->parent == TREE_ROOT
			? "(not hooked)"
			: catalog_name(catalog,
				       tree->nodes[node->parent].function));
	label = catalog_named(catalog, KIND_GROUP, CATALOG_NO_MODULE, text);
	free(text);
	return label;
}

/* Returns the function that stands for a native method with its caller. */
uint32_t labels_jni(struct catalog *catalog, uint32_t native, uint32_t caller)
{
	const uint32_t module = catalog->functions[native].module;
	char *text;
	uint32_t label;

	text = memory_printf(
		"%s" LABEL_JNI_FROM "%s", catalog_name(catalog, native),
		caller != FUNCTION_NONE &&
				catalog_kind(catalog, caller) == KIND_JAVA
			? catalog_name(catalog, caller)
			: "(no Java method)");
	label = catalog_named(catalog, KIND_GROUP, module, text);
	free(text);
	return label;
}

static uint32_t jni_label(struct catalog *catalog, const struct tree *tree,
			  const struct tree_node *node)
{
	if (catalog_kind(catalog, node->function) != KIND_JNI)
		return node->function;
	return labels_jni(catalog, node->function,
			  tree->nodes[node->parent].function);
}

enum { FRAMES_SHOWN = 64 }; /* maximum number of frames of a context */

/*
 * Returns the function that stands for a context; the context's own function if
 * the context has no calls and no time of its own. The name of a deep context
 * omits the outermost callers and is made unique by the node's number.
 */
static uint32_t context_label(struct catalog *catalog, const struct tree *tree,
			      uint32_t node)
{
	const struct tree_node *at = &tree->nodes[node];
	char *text = NULL;
	size_t bytes;
	FILE *out;
	uint32_t label;

	if (at->calls == 0 && tree_self(tree, node).ns == 0)
		return at->function;
	out = open_memstream(&text, &bytes);
	if (!out)
		memory_exhausted();
	fputs(catalog_name(catalog, at->function), out);
	for (int i = 1; i < FRAMES_SHOWN && at->parent != TREE_ROOT; i++) {
		at = &tree->nodes[at->parent];
		fprintf(out, LABEL_JNI_FROM "%s",
			catalog_name(catalog, at->function));
	}
	if (at->parent != TREE_ROOT)
		fprintf(out, LABEL_JNI_FROM "... (context %u)", node);
	fclose(out);
	label = catalog_named(
		catalog, KIND_GROUP,
		catalog->functions[tree->nodes[node].function].module, text);
	free(text);
	return label;
}

uint32_t *labels_of(const struct tree *tree, struct catalog *catalog,
		    enum label_by by)
{
	uint32_t *labels = memory_zeroed(tree->count, sizeof(*labels));
	uint32_t *of_module =
		memory_zeroed(catalog->module_count, sizeof(*of_module));

	for (size_t i = 1; i < tree->count; i++) {
		const struct tree_node *node = &tree->nodes[i];

		if (by == LABEL_MODULE)
			labels[i] = module_label(catalog, node->function,
						 of_module);
		else if (by == LABEL_JNI)
			labels[i] = jni_label(catalog, tree, node);
		else if (by == LABEL_JNI_ENV)
			labels[i] = jni_env_label(catalog, tree, node);
		else if (by == LABEL_CONTEXT)
			labels[i] = context_label(catalog, tree, (uint32_t)i);
		else if (by == LABEL_GROUP && node->parent != TREE_ROOT)
			labels[i] = labels[node->parent];
		else
			labels[i] = node->function;
	}
	free(of_module);
	return labels;
}

/*
 * Returns all nodes in depth-first order. Each step of the loops depends on few
 * others, so cache misses of a large tree overlap, unlike in a walk.
 */
static uint32_t *depth_first(const struct tree *tree)
{
	uint32_t *order = memory_zeroed(tree->count, sizeof(*order));
	/*
	 * First the size of each node's subtree; once the node has a position,
	 * that of its next child.
	 */
	uint32_t *next = memory_zeroed(tree->count, sizeof(*next));

	for (size_t i = tree->count - 1; i > TREE_ROOT; i--)
		next[tree->nodes[i].parent] += ++next[i];
	next[TREE_ROOT] = 1;
	for (size_t i = 1; i < tree->count; i++) {
		uint32_t *position = &next[tree->nodes[i].parent];
		const uint32_t first = *position;

		*position += next[i];
		next[i] = first + 1;
		order[first] = (uint32_t)i;
	}
	free(next);
	return order;
}

static uint32_t greatest_depth(const struct tree *tree)
{
	uint32_t depth = 0;

	for (size_t i = 1; i < tree->count; i++)
		if (tree->nodes[i].depth > depth)
			depth = tree->nodes[i].depth;
	return depth;
}

uint8_t *labels_outermost(const struct tree *tree, const uint32_t *labels,
			  size_t label_count)
{
	enum { AHEAD = 16 };
	uint8_t *outermost = memory_zeroed(tree->count, 1);
	uint32_t *order = depth_first(tree);
	/* number of active nodes of each label */
	uint32_t *open = memory_zeroed(label_count, sizeof(*open));
	/* labels of the active nodes, by depth from 1 on */
	uint32_t *active = memory_zeroed((size_t)greatest_depth(tree) + 1,
					 sizeof(*active));
	uint32_t depth = 0;

	for (size_t i = 1; i < tree->count; i++) {
		const uint32_t node = order[i];

		if (i + AHEAD < tree->count) {
			__builtin_prefetch(&tree->nodes[order[i + AHEAD]]);
			__builtin_prefetch(&labels[order[i + AHEAD]]);
		}
		while (depth >= tree->nodes[node].depth)
			open[active[depth--]]--;
		active[++depth] = labels[node];
		outermost[node] = open[labels[node]]++ == 0;
	}
	free(order);
	free(open);
	free(active);
	return outermost;
}
