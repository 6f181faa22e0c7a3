/* SPDX-License-Identifier: MIT */
/* See transform.h. */
#include "report/view/transform.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "report/view/selection.h"

#define MODULE    "module:"
#define RECURSION "recursion"

/* Flags of a function of the catalog. */
enum { IS_KNOWN = 1, IS_FOCUSED = 2, IS_IGNORED = 4, IS_COLLAPSED = 8 };

/* Flags of a node of the former tree. */
enum {
	NODE_IN_FOCUS = 1, /* the node or a caller of it matches --focus */
	/*
	 * the node is in focus and not ignored, or is a caller of such a node
	 */
	NODE_NEEDED = 2,
	NODE_IGNORED = 4,
	NODE_INSIDE = 8, /* the node is below a collapsed function */
};

struct transforming {
	const struct tree *tree;
	struct catalog *catalog;
	struct transform *transform;
	uint8_t *flags; /* flags of each function */
	/*
	 * For each function, the label into which it is folded, or the function
	 * itself.
	 */
	uint32_t *labels;
	size_t function_count;
	uint8_t *nodes;  /* flags of each node of `tree` */
	uint32_t *moved; /* for each node of `tree`, its node in `out` */
	struct tree *out;
};

int transform_is_asked(const struct transform *transform)
{
	return transform->focus || transform->ignore || transform->collapse ||
	       transform->fold_count > 0 || transform->folds_recursion;
}

/* ---- The rules of --fold ---- */

static void add_fold(struct transform *transform, const char *word,
		     size_t length)
{
	struct fold_rule rule = { 0 };

	if (length == strlen(RECURSION) &&
	    memcmp(word, RECURSION, length) == 0) {
		transform->folds_recursion = 1;
		return;
	}
	if (length > strlen(MODULE) &&
	    memcmp(word, MODULE, strlen(MODULE)) == 0)
		rule.module = memory_string(word + strlen(MODULE),
					    length - strlen(MODULE));
	else
		rule.namespace = memory_string(word, length);
	transform->folds = memory_grow(transform->folds, transform->fold_count,
				       &transform->fold_capacity,
				       sizeof(*transform->folds));
	transform->folds[transform->fold_count++] = rule;
}

int transform_add_folds(struct transform *transform, const char *text)
{
	for (;;) {
		const size_t length = strcspn(text, ",");

		if (length == 0 || (length == strlen(MODULE) &&
				    memcmp(text, MODULE, length) == 0))
			return -EINVAL;
		add_fold(transform, text, length);
		if (!text[length])
			return 0;
		text += length + 1;
	}
}

void transform_fini(struct transform *transform)
{
	for (size_t i = 0; i < transform->fold_count; i++) {
		free(transform->folds[i].namespace);
		free(transform->folds[i].module);
	}
	free(transform->folds);
}

/*
 * Returns whether a name begins with "NAMESPACE::" or "NAMESPACE.", behind what
 * Rust writes before the type of a method: "<alloc::vec::Vec<T> as
 * Drop>::drop".
 */
static int is_in_namespace(const char *name, const char *namespace)
{
	const size_t length = strlen(namespace);

	while (*name == '<' || *name == '&')
		name++;
	return strncmp(name, namespace, length) == 0 &&
	       (name[length] == '.' || strncmp(name + length, "::", 2) == 0);
}

/* Returns whether a function belongs to the rule's namespace or module. */
static int is_folded(struct catalog *catalog, uint32_t function,
		     const char *plain, const struct fold_rule *rule)
{
	const uint32_t module = catalog->functions[function].module;

	if (rule->namespace)
		return is_in_namespace(plain, rule->namespace);
	return module != CATALOG_NO_MODULE &&
	       fnmatch(rule->module, catalog->modules[module].name, 0) == 0;
}

/*
 * Returns the function that stands for the namespace or module into which a
 * function is folded.
 */
static uint32_t fold_label(struct catalog *catalog, uint32_t function,
			   const struct fold_rule *rule)
{
	const uint32_t module = catalog->functions[function].module;
	char *name = memory_printf(
		"(%s)", rule->namespace ? rule->namespace
					: catalog->modules[module].name);
	const uint32_t label =
		catalog_named(catalog, KIND_NATIVE, module, name);

	free(name);
	return label;
}

static uint32_t collapse_label(struct catalog *catalog, uint32_t function)
{
	const struct catalog_function *entry = &catalog->functions[function];
	const enum function_kind kind = (enum function_kind)entry->kind;
	const uint32_t module = entry->module;
	char *name = memory_printf("%s" TRANSFORM_CALLEES,
				   catalog_name(catalog, function));
	const uint32_t label = catalog_named(catalog, kind, module, name);

	free(name);
	return label;
}

/* ---- Functions ---- */

static int is_matched(struct catalog *catalog, const regex_t *regex,
		      uint32_t function)
{
	const struct selection selection = { .function = regex };

	return regex && selection_has_function(&selection, catalog, function);
}

static uint32_t find_label(struct transforming *all, uint32_t function)
{
	struct transform *transform = all->transform;
	uint32_t label = function;
	char *plain;

	if (all->flags[function] & IS_COLLAPSED)
		label = collapse_label(all->catalog, function);
	plain = selection_plain_name(catalog_name(all->catalog, function));
	for (size_t i = 0; i < transform->fold_count; i++) {
		struct fold_rule *rule = &transform->folds[i];

		if (!is_folded(all->catalog, function, plain, rule))
			continue;
		rule->is_used = 1;
		if (label == function)
			label = fold_label(all->catalog, function, rule);
	}
	free(plain);
	return label;
}

/*
 * Determines the flags of a function. No filter applies to processes and
 * threads, which are not functions.
 */
static void learn(struct transforming *all, uint32_t function)
{
	struct transform *transform = all->transform;
	struct catalog *catalog = all->catalog;
	uint8_t flags = IS_KNOWN;

	if (all->flags[function])
		return;
	all->labels[function] = function;
	if (catalog->functions[function].kind == KIND_GROUP) {
		all->flags[function] = IS_KNOWN;
		return;
	}
	if (is_matched(catalog, transform->focus, function))
		flags |= IS_FOCUSED;
	if (is_matched(catalog, transform->ignore, function))
		flags |= IS_IGNORED;
	if (is_matched(catalog, transform->collapse, function))
		flags |= IS_COLLAPSED;
	transform->ignore_is_used |= flags & IS_IGNORED;
	transform->collapse_is_used |= flags & IS_COLLAPSED;
	all->flags[function] = flags;
	all->labels[function] = find_label(all, function);
}

/* ---- Nodes ---- */

/*
 * Sets the flags of each node, in one pass from callers to callees and one
 * back.
 */
static void mark_nodes(struct transforming *all)
{
	const struct tree *tree = all->tree;
	const uint8_t without_focus = all->transform->focus ? 0 : NODE_IN_FOCUS;

	all->nodes[TREE_ROOT] = without_focus;
	for (size_t i = 1; i < tree->count; i++) {
		const struct tree_node *node = &tree->nodes[i];
		uint8_t flags;

		learn(all, node->function);
		flags = all->nodes[node->parent];
		if (all->flags[node->function] & IS_FOCUSED)
			flags |= NODE_IN_FOCUS;
		if (all->flags[node->function] & IS_IGNORED)
			flags |= NODE_IGNORED;
		all->nodes[i] = flags;
	}
	for (size_t i = tree->count; i-- > 1;) {
		const uint8_t flags = all->nodes[i];

		if ((flags & NODE_IN_FOCUS) && !(flags & NODE_IGNORED))
			all->nodes[i] |= NODE_NEEDED;
		if (all->nodes[i] & NODE_NEEDED)
			all->nodes[tree->nodes[i].parent] |= NODE_NEEDED;
	}
}

/*
 * Returns the nearest node at or above `at` with this function, or TREE_ROOT.
 */
static uint32_t find_active(const struct transforming *all, uint32_t at,
			    uint32_t function)
{
	while (at != TREE_ROOT && all->out->nodes[at].function != function)
		at = all->out->nodes[at].parent;
	return at;
}

/*
 * Returns whether `function` stands for the same namespace or module as
 * `label`, so that both are folded into one node. A namespace has a label in
 * each module, all with one name.
 */
static int is_same_fold(const struct transforming *all, uint32_t function,
			uint32_t label)
{
	return function == label ||
	       (all->catalog->functions[function].is_named &&
		strcmp(all->catalog->functions[function].name,
		       all->catalog->functions[label].name) == 0);
}

/* Returns the node of `out` for a call below `at`. */
static uint32_t place(const struct transforming *all, uint32_t at,
		      uint32_t function)
{
	const uint32_t label = all->labels[function];
	uint32_t active;

	if (label != function &&
	    is_same_fold(all, all->out->nodes[at].function, label))
		return at;
	if (all->transform->folds_recursion) {
		active = find_active(all, at, label);
		if (active != TREE_ROOT)
			return active;
	}
	return tree_child(all->out, at, label);
}

static void copy_site(struct tree_node *copy, const struct tree_node *node)
{
	if (copy->site == 0) {
		copy->site = node->site;
		copy->is_return_site = node->is_return_site;
	}
	copy->is_context |= node->is_context;
}

/* Returns whether the node's calls and time are part of the result. */
static int has_measures(const struct transforming *all, uint32_t node)
{
	return (all->nodes[node] & (NODE_IN_FOCUS | NODE_IGNORED)) ==
	       NODE_IN_FOCUS;
}

static void move_node(struct transforming *all, uint32_t i)
{
	const struct tree_node *node = &all->tree->nodes[i];
	const struct measure self = tree_self(all->tree, i);
	const uint8_t function = all->flags[node->function];
	uint32_t at = all->moved[node->parent];

	if (all->nodes[node->parent] & NODE_INSIDE) {
		all->nodes[i] |= NODE_INSIDE;
	} else {
		at = place(all, at, node->function);
		if (function & IS_COLLAPSED)
			all->nodes[i] |= NODE_INSIDE;
		copy_site(&all->out->nodes[at], node);
	}
	all->moved[i] = at;
	if (has_measures(all, i))
		tree_add(all->out, at, &self);
}

/*
 * Returns whether a node still stands for its own function, to which the times
 * of its calls and the addresses of its samples belong.
 */
static int is_itself(const struct transforming *all, uint32_t node)
{
	return (all->nodes[node] & NODE_NEEDED) && has_measures(all, node) &&
	       all->out->nodes[all->moved[node]].function ==
		       all->tree->nodes[node].function;
}

static void move_details(struct transforming *all)
{
	const struct tree *tree = all->tree;

	timings_init(&all->out->timings, &tree->timings, all->out->count);
	for (uint32_t i = 1; i < tree->count; i++) {
		if (is_itself(all, i))
			timings_move(&all->out->timings, all->moved[i],
				     &tree->timings, i);
	}
	for (size_t i = 0; i < tree->spot_count; i++) {
		const struct tree_spot *spot = &tree->spots[i];

		if (is_itself(all, spot->node))
			tree_add_spot(all->out, all->moved[spot->node],
				      spot->site, spot->ns, spot->samples);
	}
}

static void move_samples(const struct transforming *all,
			 struct timeline *timeline)
{
	size_t kept = 0;

	for (size_t i = 0; i < timeline->count; i++) {
		struct timeline_sample sample = timeline->samples[i];

		if (!has_measures(all, sample.node))
			continue;
		if (!is_itself(all, sample.node))
			sample.site = 0;
		sample.node = all->moved[sample.node];
		timeline->samples[kept++] = sample;
	}
	timeline->count = kept;
}

void tree_transform(const struct tree *tree, struct catalog *catalog,
		    struct transform *transform, struct timeline *timeline,
		    struct tree *out)
{
	struct transforming all = {
		.tree = tree,
		.catalog = catalog,
		.transform = transform,
		.function_count = catalog->function_count,
		.nodes = memory_zeroed(tree->count, sizeof(*all.nodes)),
		.moved = memory_zeroed(tree->count, sizeof(*all.moved)),
		.out = out,
	};
	const struct measure self = tree_self(tree, TREE_ROOT);

	all.flags = memory_zeroed(all.function_count, sizeof(*all.flags));
	all.labels = memory_zeroed(all.function_count, sizeof(*all.labels));
	tree_init(out);
	mark_nodes(&all);
	if (has_measures(&all, TREE_ROOT))
		tree_add(out, TREE_ROOT, &self);
	for (uint32_t i = 1; i < tree->count; i++) {
		if (all.nodes[i] & NODE_NEEDED)
			move_node(&all, i);
	}
	move_details(&all);
	move_samples(&all, timeline);
	free(all.flags);
	free(all.labels);
	free(all.nodes);
	free(all.moved);
	tree_sum(out);
}
