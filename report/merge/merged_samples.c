/* SPDX-License-Identifier: MIT */
/* See merged_samples.h. */
#include "report/merge/merged_samples.h"

#include <string.h>

#include "report/model/announced_lines.h"
#include "report/model/waits.h"
#include "wire/id.h"
#include "wire/verdict.h"

/*
 * A sample, with the context that has its id, and the module that contains its
 * pc.
 */
struct sight {
	const struct wire_sample *wire;
	struct context *context; /* NULL if there is none */
	uint32_t root;
	uint64_t pc; /* 0 if it is unknown */
	/* NULL if the pc is in no module */
	const struct numbering_module *module;
	uint64_t vaddr; /* address in the module */
};

/*
 * Returns the node below `root` of the context with this id, or 0 if it is not
 * recorded.
 */
static uint32_t node_of_id(struct samples *samples, uint64_t id, uint32_t root)
{
	struct context *context = contexts_find(samples->contexts, id);

	return context ? contexts_place(samples->contexts, context, root) : 0;
}

static int has_function(const struct samples *samples, uint32_t node,
			uint32_t function)
{
	return whole_function(samples->contexts->catalog,
			      samples->contexts->tree->nodes[node].function) ==
	       function;
}

/*
 * Returns the nearest node of this function, from `node` outwards to the node
 * below `root`; 0 if there is none.
 */
static uint32_t find_outer(const struct samples *samples, uint32_t node,
			   uint32_t root, uint32_t function)
{
	const struct tree_node *nodes = samples->contexts->tree->nodes;

	while (node != root && node != TREE_ROOT) {
		if (has_function(samples, node, function))
			return node;
		node = nodes[node].parent;
	}
	return 0;
}

/*
 * For a pc in a hooked function that is none of those that find_near() tries
 * first: returns the node of a caller further out with this function, to which
 * the program has jumped back (longjmp); otherwise 0. Returns 0 also for
 * "(folded)" calls, because their function is unknown.
 */
static uint32_t find_jumped(const struct samples *samples,
			    const struct sight *sight, uint32_t leaf,
			    uint32_t number)
{
	const struct contexts *contexts = samples->contexts;
	const struct catalog *catalog = contexts->catalog;
	const struct tree_node *node = &contexts->tree->nodes[leaf];
	const uint32_t function =
		numbering_function(contexts->numbering, number);

	if (node->function == FUNCTION_FOLDED ||
	    verdict_class(catalog->functions[function].verdict) !=
		    VERDICT_HOOKED)
		return 0;
	return find_outer(samples, node->parent, sight->root, function);
}

/*
 * Returns the node of the function that contains the pc, if this is the
 * function of the leaf's context, of its caller, of a callee, of a sibling, or
 * of a caller further out; otherwise 0. *how becomes the kind of the match.
 */
static uint32_t find_near(struct samples *samples, const struct sight *sight,
			  uint32_t node_of_leaf, uint32_t number,
			  enum sample_place *how)
{
	const struct context *leaf = sight->context;
	uint64_t caller_id = id_pop(leaf->id, id_key(leaf->function));
	const struct context *caller;
	uint32_t node;

	*how = PLACE_LEAF;
	if (number == leaf->function)
		return node_of_leaf;
	caller = contexts_find(samples->contexts, caller_id);
	*how = PLACE_CALLER;
	if (caller && number == caller->function)
		return node_of_id(samples, caller_id, sight->root);
	*how = PLACE_CALLEE;
	node = node_of_id(samples, id_push(leaf->id, id_key(number)),
			  sight->root);
	if (node)
		return node;
	*how = PLACE_SIBLING;
	node = node_of_id(samples, id_push(caller_id, id_key(number)),
			  sight->root);
	if (node)
		return node;
	*how = PLACE_OUTER;
	return find_jumped(samples, sight, node_of_leaf, number);
}

/* Returns the catalog's function that contains the pc. */
static uint32_t function_of(struct samples *samples, const struct sight *sight,
			    uint32_t number)
{
	struct contexts *contexts = samples->contexts;
	struct catalog *catalog = contexts->catalog;
	uint32_t function;

	if (number) {
		function = numbering_function(contexts->numbering, number);
		if (verdict_class(catalog->functions[function].verdict) !=
		    VERDICT_NOT_ENTRY)
			return function;
	}
	return catalog_function_around(catalog, sight->module->module,
				       sight->vaddr);
}

static uint32_t place_in_module(struct samples *samples,
				const struct sight *sight, uint32_t leaf,
				enum sample_place *how)
{
	struct contexts *contexts = samples->contexts;
	uint32_t number = numbering_number_at(sight->module, sight->vaddr);
	uint32_t node = 0, function;

	if (number && sight->context)
		node = find_near(samples, sight, leaf, number, how);
	if (node)
		return node;
	*how = PLACE_MODULE;
	function = function_of(samples, sight, number);
	if (sight->context &&
	    catalog_is_part(contexts->catalog,
			    catalog_name(contexts->catalog, function),
			    contexts->tree->nodes[leaf].function)) {
		*how = PLACE_LEAF;
		return leaf;
	}
	return tree_child(contexts->tree, leaf, function);
}

/*
 * Returns the node of a recorded call of `function` below the node `caller`, or
 * 0.
 */
static uint32_t find_call(const struct samples *samples, uint32_t caller,
			  uint32_t function)
{
	const struct tree *tree = samples->contexts->tree;
	const uint32_t node = tree_find(tree, caller, function);

	return node && tree->nodes[node].is_context ? node : 0;
}

/*
 * Returns whether both functions are Java methods of which each call is
 * counted. If the leaf is one, and the pc is in the code of the other, then the
 * leaf is inlined there: an unnoticed call of the other method is not possible.
 */
static int is_inlined(const struct catalog *catalog, uint32_t leaf,
		      uint32_t function)
{
	return catalog->functions[leaf].reports_calls &&
	       catalog->functions[function].reports_calls;
}

/*
 * Returns whether the function belongs to the tracker, which rewritten Java
 * methods call (jvm/exact/tracker_class.h).
 */
static int is_tracker(struct catalog *catalog, uint32_t function)
{
	static const char classes[] = "java.lang.Clew";

	return catalog_kind(catalog, function) == KIND_JAVA &&
	       strncmp(catalog_name(catalog, function), classes,
		       sizeof(classes) - 1) == 0;
}

/*
 * Like find_near(), for a pc in generated code with this function. If the leaf
 * is no Java method, only its callees are searched: native code can have called
 * generated code, but generated code is not its neighbour otherwise.
 */
static uint32_t find_near_dynamic(const struct samples *samples,
				  const struct sight *sight, uint32_t leaf,
				  uint32_t function, enum sample_place *how)
{
	const struct contexts *contexts = samples->contexts;
	const struct tree_node *nodes = contexts->tree->nodes;
	const uint32_t caller = nodes[leaf].parent;
	const int is_dynamic = sight->context &&
			       catalog_kind(contexts->catalog,
					    nodes[leaf].function) == KIND_JAVA;
	uint32_t node;

	*how = PLACE_LEAF;
	if (is_dynamic &&
	    is_inlined(contexts->catalog, nodes[leaf].function, function))
		return leaf;
	if (is_dynamic && has_function(samples, leaf, function))
		return leaf;
	*how = PLACE_CALLER;
	if (is_dynamic && has_function(samples, caller, function))
		return caller;
	*how = PLACE_CALLEE;
	node = find_call(samples, leaf, function);
	if (node || !is_dynamic)
		return node;
	*how = PLACE_SIBLING;
	node = find_call(samples, caller, function);
	if (node)
		return node;
	*how = PLACE_OUTER;
	return find_outer(samples, caller, sight->root, function);
}

/*
 * Returns the node for a sample in generated code. A system call from unknown
 * generated code is regarded as one of the leaf.
 */
static uint32_t place_in_generated(struct samples *samples,
				   const struct sight *sight, uint32_t leaf,
				   enum sample_place *how)
{
	const uint32_t function = generated_function(
		samples->generated, sight->pc, sight->wire->tsc, how);
	enum sample_place near;
	uint32_t node;

	if (function == FUNCTION_GENERATED &&
	    sight->wire->where & WIRE_SAMPLE_KERNEL)
		return leaf;
	if (is_tracker(samples->contexts->catalog, function))
		return tree_child(samples->contexts->tree, leaf, FUNCTION_CLEW);
	node = find_near_dynamic(samples, sight, leaf, function, &near);
	if (!node)
		return tree_child(samples->contexts->tree, leaf, function);
	*how = near;
	return node;
}

/*
 * Returns the node of the innermost hooked function (the leaf); the root if the
 * thread is outside all hooked functions; a node for unknown functions if the
 * context is not recorded.
 */
static uint32_t place_leaf(struct samples *samples, const struct sight *sight)
{
	struct tree *tree = samples->contexts->tree;

	if (sight->context)
		return contexts_place(samples->contexts, sight->context,
				      sight->root);
	if (sight->wire->id == ID_ROOT)
		return sight->root;
	return tree_child(
		tree, tree_child(tree, sight->root, FUNCTION_UNKNOWN_CALLER),
		FUNCTION_UNKNOWN);
}

static uint32_t place_one(struct samples *samples, const struct sight *sight)
{
	struct tree *tree = samples->contexts->tree;
	const uint64_t where = sight->wire->where;
	const uint32_t looks = wire_sample_observations(sight->wire);
	struct sample_places *places = samples->places;
	uint32_t node = place_leaf(samples, sight);
	enum sample_place how;

	if (where & WIRE_SAMPLE_CLEW)
		return tree_child(tree, node, FUNCTION_CLEW);
	if (sight->module) {
		node = place_in_module(samples, sight, node, &how);
		places->native[how] += looks;
	} else if (sight->pc) {
		node = place_in_generated(samples, sight, node, &how);
		places->dynamic[how] += looks;
	}
	if (where & WIRE_SAMPLE_BLOCKED)
		return tree_child(tree, node,
				  wait_function(samples->contexts->catalog,
						wire_sample_wait(sight->wire)));
	if (where & WIRE_SAMPLE_KERNEL)
		return tree_child(tree, node, FUNCTION_KERNEL);
	/*
	 * A sample outside all hooked functions whose pc is unknown gets a node
	 * for an unknown function.
	 */
	return node == sight->root ? tree_child(tree, node, FUNCTION_UNKNOWN)
				   : node;
}

static const struct numbering_module *module_at(const struct samples *samples,
						uint64_t pc, uint64_t time_ns)
{
	return numbering_module_at(samples->contexts->numbering, pc, time_ns);
}

static struct sight look_at(const struct samples *samples,
			    const struct wire_sample *wire, uint32_t root,
			    uint64_t time_ns)
{
	struct sight sight = {
		.wire = wire,
		.context = contexts_find(samples->contexts, wire->id),
		.root = root,
		.pc = wire->where & WIRE_SAMPLE_PC,
	};
	uint64_t pc = sight.pc;

	if (sight.pc && !(wire->where & WIRE_SAMPLE_CLEW))
		sight.module = module_at(samples, sight.pc, time_ns);
	if (sight.pc && !sight.module && !(wire->where & WIRE_SAMPLE_CLEW)) {
		pc = generated_module_pc(samples->generated, sight.pc,
					 wire->tsc);
		if (pc)
			sight.module = module_at(samples, pc, time_ns);
	}
	if (sight.module)
		sight.vaddr = pc - sight.module->base;
	return sight;
}

/* Returns the catalog's site for the sample's pc; 0: unknown. */
static uint32_t site_of(struct samples *samples, const struct sight *sight)
{
	struct contexts *contexts = samples->contexts;

	if (sight->module)
		return catalog_site_at(contexts->catalog, sight->module->module,
				       sight->vaddr);
	if (sight->pc == 0 || sight->wire->where & WIRE_SAMPLE_CLEW)
		return 0;
	return generated_site(samples->generated, contexts->numbering,
			      sight->pc, sight->wire->tsc);
}

static void add_sample(struct samples *samples, const struct wire_sample *wire,
		       uint32_t root, uint32_t thread)
{
	struct contexts *contexts = samples->contexts;
	uint64_t time_ns = clock_time_ns(&samples->clock, wire->tsc);
	struct sight sight = look_at(samples, wire, root, time_ns);
	uint32_t node = place_one(samples, &sight);
	const uint32_t looks = wire_sample_observations(wire);
	const struct measure more = { .ns = wire_sample_ns(wire),
				      .samples = looks };
	const uint32_t site = site_of(samples, &sight);

	tree_add(contexts->tree, node, &more);
	samples->count += more.samples;
	samples->weight_ns += more.ns;
	if (site)
		tree_add_spot(contexts->tree, node, site, more.ns,
			      more.samples);
	if (samples->timeline)
		timeline_add(samples->timeline, &(struct timeline_sample){
							.time_ns = time_ns,
							.weight_ns = more.ns,
							.node = node,
							.thread = thread,
							.site = site,
							.looks = looks,
						});
}

static int is_unsampled(const struct wire_sample *sample)
{
	return sample->where & WIRE_SAMPLE_BLOCKED &&
	       wire_sample_wait(sample) == WIRE_WAIT_UNSAMPLED;
}

void samples_place(struct samples *samples, const struct part_chunk *chunk,
		   uint32_t root, uint32_t thread)
{
	const struct wire_sample *items = (const void *)chunk->payload;

	for (size_t i = 0; i < chunk->payload_bytes / sizeof(*items); i++) {
		if (items[i].tsc == 0)
			continue;
		if (items[i].where & WIRE_SAMPLE_CLEW) {
			samples->clew_count +=
				wire_sample_observations(&items[i]);
			samples->clew_ns += wire_sample_ns(&items[i]);
			if (!samples->with_clew)
				continue;
		}
		if (is_unsampled(&items[i])) {
			samples->unsampled_ns += wire_sample_ns(&items[i]);
			samples->unsampled_threads++;
		}
		add_sample(samples, &items[i], root, thread);
	}
}

static uint64_t taken_in(const struct part_chunk *chunk)
{
	const struct wire_sample *items = (const void *)chunk->payload;
	uint64_t count = 0;

	for (size_t i = 0; i < chunk->payload_bytes / sizeof(*items); i++)
		count += items[i].tsc ? wire_sample_observations(&items[i]) : 0;
	return count;
}

uint64_t samples_taken(const struct part_copy *part)
{
	uint64_t count = 0, cursor = 0;
	struct part_chunk chunk;

	while (part_next_chunk(part, &cursor, &chunk))
		if (chunk.kind == WIRE_SAMPLES)
			count += taken_in(&chunk);
	return count;
}
