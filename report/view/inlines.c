/* SPDX-License-Identifier: MIT */
/* See inlines.h. */
#include "report/view/inlines.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "report/model/announced_lines.h"

/*
 * The frames at a site: frames[0 .. count - 2] are inlined into the last one.
 */
struct chain {
	struct a2n_frame frames[CATALOG_FRAMES];
	size_t count;
};

static void find_chain(struct catalog *catalog, uint32_t site, int is_return,
		       struct chain *chain)
{
	chain->count = catalog_site_frames(catalog, site, is_return,
					   chain->frames, CATALOG_FRAMES);
	if (chain->count > CATALOG_FRAMES)
		chain->count = 0;
}

/* Returns whether the outermost function at a site is the node's function. */
static int belongs_to(struct catalog *catalog, const struct chain *chain,
		      uint32_t site, uint32_t function)
{
	const struct catalog_function *entry = &catalog->functions[function];
	const struct a2n_frame *outermost;

	if (site_is_announced(catalog, site))
		return chain->count > 0 &&
		       whole_function(catalog,
				      announced_function(catalog, site)) ==
			       whole_function(catalog, function);
	if (chain->count == 0 || entry->kind != KIND_NATIVE || entry->is_named)
		return 0;
	outermost = &chain->frames[chain->count - 1];
	return outermost->start == entry->vaddr ||
	       (outermost->name &&
		catalog_is_part(catalog, outermost->name, function));
}

/*
 * The functions that are inlined at a call site, for calls by one caller: an
 * interval of `functions`, outermost first.
 */
struct site_chain {
	uint32_t caller; /* 0 if the site was not looked up */
	uint32_t first, count;
};

/*
 * A tree while inlined functions are put into it. A call site of many nodes is
 * looked up once, and again only if another caller has it.
 */
struct inlining {
	struct tree *out;
	struct catalog *catalog;
	struct site_chain *sites; /* by site, for return addresses */
	uint32_t *functions;
	size_t function_count, function_capacity;
};

/* Appends the inlined functions of a chain to inlining->functions. */
static struct site_chain add_chain(struct inlining *inlining,
				   const struct chain *chain, uint32_t site)
{
	const uint32_t module = inlining->catalog->sites[site].module;
	struct site_chain added = {
		.first = (uint32_t)inlining->function_count,
	};

	for (size_t i = chain->count - 1; i-- > 0;) {
		const char *name = chain->frames[i].name;

		inlining->functions = memory_grow(inlining->functions,
						  inlining->function_count,
						  &inlining->function_capacity,
						  sizeof(*inlining->functions));
		inlining->functions[inlining->function_count++] =
			catalog_named(inlining->catalog, KIND_INLINED, module,
				      name ? name : "(unnamed)");
		added.count++;
	}
	return added;
}

/*
 * Returns the functions that are inlined at a site, an empty chain if the site
 * does not belong to this function.
 */
static struct site_chain look_up(struct inlining *inlining, uint32_t site,
				 int is_return, uint32_t function)
{
	struct site_chain found = { 0 };
	struct chain chain;

	find_chain(inlining->catalog, site, is_return, &chain);
	if (belongs_to(inlining->catalog, &chain, site, function))
		found = add_chain(inlining, &chain, site);
	found.caller = function;
	return found;
}

/* Returns the node below `node` for the inlined functions of a chain. */
static uint32_t descend(const struct inlining *inlining,
			const struct site_chain *chain, uint32_t site,
			int is_return, uint32_t node)
{
	for (uint32_t i = 0; i < chain->count; i++) {
		struct tree_node *made;

		node = tree_child(inlining->out, node,
				  inlining->functions[chain->first + i]);
		made = &inlining->out->nodes[node];
		if (made->site == 0) {
			made->site = site;
			made->is_return_site = is_return != 0;
		}
	}
	return node;
}

/* Returns the functions that are inlined where a callee is called. */
static const struct site_chain *chain_above(struct inlining *inlining,
					    const struct tree *tree,
					    const struct tree_node *callee)
{
	const uint32_t caller = tree->nodes[callee->parent].function;
	struct site_chain *chain = &inlining->sites[callee->site];

	if (caller == 0 || chain->caller != caller)
		*chain = look_up(inlining, callee->site, 1, caller);
	return chain;
}

/* Returns the node below which a callee belongs. */
static uint32_t find_caller(struct inlining *inlining, const struct tree *tree,
			    const struct tree_node *callee,
			    const uint32_t *moved)
{
	return descend(inlining, chain_above(inlining, tree, callee),
		       callee->site, 1, moved[callee->parent]);
}

/* Returns whether any function of the tree has inlined functions. */
static int has_inlined(struct inlining *inlining, const struct tree *tree)
{
	for (size_t i = 1; i < tree->count; i++)
		if (tree->nodes[i].site &&
		    chain_above(inlining, tree, &tree->nodes[i])->count)
			return 1;
	for (size_t i = 0; i < tree->spot_count; i++) {
		const struct tree_spot *spot = &tree->spots[i];

		if (look_up(inlining, spot->site, 0,
			    tree->nodes[spot->node].function)
			    .count)
			return 1;
	}
	return 0;
}

static void copy_node(struct tree *out, uint32_t at,
		      const struct tree_node *node)
{
	struct tree_node *copy = &out->nodes[at];

	copy->site = node->site;
	copy->is_return_site = node->is_return_site;
	copy->is_context |= node->is_context;
}

/*
 * Moves a part of a node's own time to the functions that are inlined there.
 * Returns the node.
 */
static uint32_t move_spot(struct inlining *inlining,
			  const struct tree_spot *spot, uint32_t at)
{
	struct tree *out = inlining->out;
	const struct site_chain chain =
		look_up(inlining, spot->site, 0, out->nodes[at].function);
	const uint32_t to = descend(inlining, &chain, spot->site, 0, at);

	inlining->function_count =
		chain.count ? chain.first : inlining->function_count;
	tree_add_spot(out, to, spot->site, spot->ns, spot->samples);
	if (to == at)
		return to;
	tree_add(out, at,
		 &(struct measure){ .ns = -spot->ns,
				    .samples = -spot->samples });
	tree_add(out, to,
		 &(struct measure){ .ns = spot->ns, .samples = spot->samples });
	return to;
}

/* Moves each sample to the node to which its spot was moved. */
static void move_samples(struct timeline *timeline, const struct tree *tree,
			 const uint32_t *moved, const uint32_t *moved_spots)
{
	for (size_t i = 0; i < timeline->count; i++) {
		struct timeline_sample *sample = &timeline->samples[i];
		const uint64_t *spot =
			idmap_find(&tree->spots_at,
				   (uint64_t)sample->node << 32 | sample->site);

		sample->node = sample->site && spot ? moved_spots[*spot - 1]
						    : moved[sample->node];
	}
}

static void copy_tree(struct inlining *inlining, const struct tree *tree,
		      struct timeline *timeline)
{
	struct tree *out = inlining->out;
	uint32_t *moved = memory_zeroed(tree->count, sizeof(*moved));
	uint32_t *moved_spots =
		memory_zeroed(tree->spot_count + 1, sizeof(*moved_spots));
	struct measure self;

	tree_init(out);
	tree_reserve(out, tree->count);
	self = tree_self(tree, TREE_ROOT);
	tree_add(out, TREE_ROOT, &self);
	for (size_t i = 1; i < tree->count; i++) {
		const struct tree_node *node = &tree->nodes[i];
		uint32_t caller =
			node->site ? find_caller(inlining, tree, node, moved)
				   : moved[node->parent];

		moved[i] = tree_child(out, caller, node->function);
		copy_node(out, moved[i], node);
		self = tree_self(tree, i);
		tree_add(out, moved[i], &self);
	}
	timings_init(&out->timings, &tree->timings, out->count);
	for (size_t i = 1; i < tree->count; i++)
		timings_move(&out->timings, moved[i], &tree->timings,
			     (uint32_t)i);
	for (size_t i = 0; i < tree->spot_count; i++)
		moved_spots[i] = move_spot(inlining, &tree->spots[i],
					   moved[tree->spots[i].node]);
	move_samples(timeline, tree, moved, moved_spots);
	free(moved_spots);
	free(moved);
	tree_sum(out);
}

int tree_inline(const struct tree *tree, struct catalog *catalog,
		struct timeline *timeline, struct tree *out)
{
	struct inlining inlining = {
		.out = out,
		.catalog = catalog,
		.sites = memory_zeroed(catalog->site_count + 1,
				       sizeof(*inlining.sites)),
	};
	const int is_changed = has_inlined(&inlining, tree);

	if (is_changed)
		copy_tree(&inlining, tree, timeline);
	free(inlining.sites);
	free(inlining.functions);
	return is_changed;
}

int inlined_call_place(struct catalog *catalog, const struct tree_node *node,
		       const char **file, uint32_t *line)
{
	const char *name = catalog_name(catalog, node->function);
	struct chain chain;

	find_chain(catalog, node->site, node->is_return_site, &chain);
	for (size_t i = 0; i + 1 < chain.count; i++) {
		const struct a2n_frame *caller = &chain.frames[i + 1];

		if (!chain.frames[i].name ||
		    strcmp(chain.frames[i].name, name) != 0)
			continue;
		if (!caller->file || caller->line == 0)
			return 0;
		*file = caller->file;
		*line = caller->line;
		return 1;
	}
	return 0;
}
