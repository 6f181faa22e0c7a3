/* SPDX-License-Identifier: MIT */
/* See contexts.h. */
#include "report/merge/contexts.h"

#include <stdlib.h>

#include "base/memory.h"
#include "wire/id.h"

/* The largest number that fits into context.tally. */
enum { TALLY_MASK = (1 << 30) - 1 };

/* Special values of context.node and context.root. */
enum { NODE_UNSEEN = 0, NODE_PENDING = UINT32_MAX, ROOT_NONE = UINT32_MAX };

enum { DEPTHS = 1024, CALLERS_AT_ONCE = 64 };

/*
 * Returns a hash that is the same for a context's own id and for the id of its
 * tail calls, which is the complement.
 */
static uint32_t hash_of_id(uint64_t id)
{
	return hash_of_word(id >> 63 ? wire_tail_id(id) : id);
}

/*
 * Returns the slot in the index of the context with this id or, if there is
 * none, the free slot for it.
 */
static struct hash_slot *slot_of(const struct contexts *contexts, uint64_t id,
				 uint32_t hash)
{
	struct hash_slot *at = hash_index_first(&contexts->by_id, hash);

	while (at->item && contexts->items[at->item - 1].id != id)
		at = hash_index_next(&contexts->by_id, hash, at);
	return at;
}

static void add_context(struct contexts *contexts,
			const struct wire_context *wire, uint32_t tally)
{
	const uint64_t id = wire_context_id(wire);
	const uint32_t hash = hash_of_id(id);
	struct hash_slot *slot;

	hash_index_reserve(&contexts->by_id, contexts->count + 1);
	slot = slot_of(contexts, id, hash);
	if (!slot->item) {
		contexts->items = memory_grow(contexts->items, contexts->count,
					      &contexts->capacity,
					      sizeof(*contexts->items));
		contexts->items[contexts->count] = (struct context){
			.id = id,
			.site_pc = wire->site & WIRE_SITE_PC,
			.function = wire->function,
			.root = ROOT_NONE,
			.depth = (uint16_t)wire->depth,
			.tally = tally & TALLY_MASK,
		};
		hash_index_enter(&contexts->by_id, slot, hash,
				 contexts->count++);
	}
	contexts->items[slot->item - 1].has_tails |= wire_is_tail(wire);
}

static void add_span(struct contexts *contexts, const struct context_span *span)
{
	for (size_t i = 0; i < span->count; i++) {
		if (i + CONTEXTS_AHEAD < span->count)
			hash_index_prefetch(
				&contexts->by_id,
				hash_of_id(span->items[i + CONTEXTS_AHEAD].id));
		if (span->items[i].id != 0)
			add_context(contexts, &span->items[i], span->tally);
	}
}

struct context *contexts_find(const struct contexts *contexts, uint64_t id)
{
	const uint32_t hash = hash_of_id(id);
	struct hash_slot *at = slot_of(contexts, id, hash);

	if (!at->item) {
		at = slot_of(contexts, wire_tail_id(id), hash);
		if (!at->item || !contexts->items[at->item - 1].has_tails)
			return NULL;
	}
	return &contexts->items[at->item - 1];
}

/*
 * Prefetches the context in the first slot for this id, which usually is the
 * context with this id.
 */
static void prefetch_context(const struct contexts *contexts, uint64_t id)
{
	const struct hash_slot *at =
		hash_index_first(&contexts->by_id, hash_of_id(id));

	if (at->item)
		__builtin_prefetch(&contexts->items[at->item - 1]);
}

static uint64_t caller_id_of(const struct context *context)
{
	return id_pop(context->id, id_key(context->function));
}

static size_t at_most(size_t count)
{
	return count < CALLERS_AT_ONCE ? count : CALLERS_AT_ONCE;
}

static uint32_t number_of(const struct contexts *contexts,
			  const struct context *context)
{
	return context ? (uint32_t)(context - contexts->items) + 1 : 0;
}

/*
 * Sets the callers of contexts. A program mostly records a context soon after
 * its caller, so the caller is usually the latest context of the depth above.
 * The others are searched together, so that their cache misses overlap.
 */
static void find_callers(struct contexts *contexts, size_t first, size_t count,
			 uint32_t *latest)
{
	uint64_t ids[CALLERS_AT_ONCE];
	struct context *seekers[CALLERS_AT_ONCE];
	size_t seeking = 0;

	for (size_t i = first; i < first + count; i++) {
		struct context *context = &contexts->items[i];
		const uint64_t id = caller_id_of(context);
		const uint32_t above = latest[(context->depth - 1u) % DEPTHS];

		latest[context->depth % DEPTHS] = (uint32_t)i;
		if (id == ID_ROOT)
			continue;
		if (contexts->items[above].id == id) {
			context->node = above + 1;
			continue;
		}
		hash_index_prefetch(&contexts->by_id, hash_of_id(id));
		seekers[seeking] = context;
		ids[seeking++] = id;
	}
	for (size_t i = 0; i < seeking; i++)
		prefetch_context(contexts, ids[i]);
	for (size_t i = 0; i < seeking; i++)
		seekers[i]->node =
			number_of(contexts, contexts_find(contexts, ids[i]));
}

void contexts_init(struct contexts *contexts,
		   const struct part_tallies *tallies,
		   const struct numbering *numbering, struct catalog *catalog,
		   struct tree *tree)
{
	/* The latest context of each depth, modulo DEPTHS. */
	uint32_t latest[DEPTHS] = { 0 };
	uint64_t recorded = 0, room = 0;

	*contexts = (struct contexts){
		.numbering = numbering,
		.catalog = catalog,
		.tree = tree,
	};
	for (size_t i = 0; i < tallies->count; i++)
		recorded += tallies->items[i].head->contexts;
	for (size_t i = 0; i < tallies->context_spans; i++)
		room += tallies->contexts[i].count;
	contexts->capacity = recorded < room ? recorded : room;
	contexts->items =
		memory_large(contexts->capacity, sizeof(*contexts->items));
	hash_index_reserve(&contexts->by_id, contexts->capacity);
	for (size_t i = 0; i < tallies->context_spans; i++)
		add_span(contexts, &tallies->contexts[i]);
	for (size_t i = 0; i < contexts->count; i += CALLERS_AT_ONCE)
		find_callers(contexts, i, at_most(contexts->count - i), latest);
}

void contexts_fini(struct contexts *contexts)
{
	free(contexts->items);
	free(contexts->path);
	hash_index_fini(&contexts->by_id);
	*contexts = (struct contexts){ 0 };
}

void contexts_prefetch(const struct contexts *contexts, uint64_t id_far_ahead,
		       uint64_t id_half_way, uint64_t id_soon)
{
	const struct hash_slot *at;

	hash_index_prefetch(&contexts->by_id, hash_of_id(id_far_ahead));
	prefetch_context(contexts, id_half_way);
	at = hash_index_first(&contexts->by_id, hash_of_id(id_soon));
	if (at->item &&
	    contexts->items[at->item - 1].node < contexts->tree->count)
		__builtin_prefetch(
			&contexts->tree
				 ->nodes[contexts->items[at->item - 1].node],
			1);
}

/* Returns the catalog's function for a number. */
static uint32_t function_of(struct contexts *contexts, uint32_t number)
{
	const struct numbering_range *range = contexts->range;

	if (range && number - range->first < range->count)
		return catalog_list_at(&range->functions,
				       number - range->first);
	range = numbering_functions_at(contexts->numbering, number);
	if (range)
		contexts->range = range;
	return numbering_function(contexts->numbering, number);
}

/*
 * Returns the node that the context has, or will probably have, below `root`.
 * Nodes are mostly created in the order of contexts, and the context `present`
 * is placed next.
 */
static uint32_t expected_node(const struct contexts *contexts,
			      const struct context *context, uint32_t root,
			      size_t present)
{
	return context->root == root
		       ? context->node
		       : (uint32_t)(contexts->tree->count - present +
				    (size_t)(context - contexts->items));
}

void contexts_prefetch_place(struct contexts *contexts, size_t present,
			     uint32_t root)
{
	const struct context *context = &contexts->items[present];

	if (present + CONTEXTS_AHEAD >= contexts->count)
		return;
	context += CONTEXTS_AHEAD;
	if (context->root == ROOT_NONE && context->node)
		__builtin_prefetch(&contexts->items[context->node - 1]);
	context -= CONTEXTS_AHEAD - CONTEXTS_SOON;
	if (context->root == ROOT_NONE && context->node)
		tree_prefetch_child(
			contexts->tree,
			expected_node(contexts,
				      &contexts->items[context->node - 1], root,
				      present),
			function_of(contexts, context->function));
}

/* Returns the context's node below this root, or NODE_UNSEEN or NODE_PENDING. */
static uint32_t node_below(const struct context *context, uint32_t root)
{
	return context->root == root ? context->node : NODE_UNSEEN;
}

/* Returns the context's caller, which has this id, or NULL. */
static struct context *find_caller(const struct contexts *contexts,
				   const struct context *context,
				   uint64_t caller_id)
{
	if (caller_id == ID_ROOT)
		return NULL;
	if (context->root != ROOT_NONE)
		return contexts_find(contexts, caller_id);
	return context->node ? &contexts->items[context->node - 1] : NULL;
}

/*
 * Counts inconsistencies of a context. `caller` is NULL if the caller's context
 * is not recorded, or if the context is outermost. A depth of 1 is always
 * accepted: a thread that resumes a coroutine of another thread counts depths
 * from the start of the coroutine.
 */
static void check_place(struct inconsistencies *inconsistencies,
			const struct context *context, uint64_t caller_id,
			const struct context *caller)
{
	if (context->is_checked)
		return;
	if (caller_id != ID_ROOT && !caller)
		inconsistencies->orphans++;
	else if (caller && caller->node == NODE_PENDING)
		inconsistencies->circular++;
	else if ((!caller || caller->tally == context->tally) &&
		 context->depth !=
			 (uint16_t)((caller ? caller->depth : 0) + 1) &&
		 context->depth != 1)
		inconsistencies->uneven++;
}

/*
 * Stores in contexts->path the indices of this context and of its callers, up
 * to the first one whose caller has a node, and returns this caller's node.
 * Without such a caller, returns the root, or the node for unknown callers. If
 * a caller occurs twice on the path, which only happens in a damaged recording,
 * the caller is regarded as unknown.
 */
static uint32_t climb(struct contexts *contexts, struct context *context,
		      uint32_t root, size_t *length)
{
	for (;;) {
		uint64_t caller_id = caller_id_of(context);
		struct context *caller =
			find_caller(contexts, context, caller_id);
		uint32_t node;

		context->root = root;
		context->node = NODE_PENDING;
		contexts->path = memory_grow(contexts->path, *length,
					     &contexts->path_capacity,
					     sizeof(*contexts->path));
		contexts->path[(*length)++] =
			(uint32_t)(context - contexts->items);
		node = caller ? node_below(caller, root) : NODE_PENDING;
		check_place(&contexts->inconsistencies, context, caller_id,
			    caller);
		if (caller_id == ID_ROOT)
			return root;
		if (node == NODE_PENDING)
			return tree_child(contexts->tree, root,
					  FUNCTION_UNKNOWN_CALLER);
		if (node != NODE_UNSEEN)
			return node;
		context = caller;
	}
}

/*
 * Returns the catalog's number of the context's call site; 0 if the site is in
 * no module.
 */
static uint32_t site_of(struct contexts *contexts,
			const struct context *context)
{
	const uint64_t pc = context->site_pc;
	struct context_site *found =
		&contexts->sites[hash_of_word(pc) >>
				 (32 - CONTEXTS_SITES_LOG2)];
	const struct numbering_module *module;

	if (found->pc == pc)
		return found->site;
	module = numbering_module_at(contexts->numbering, pc,
				     NUMBERING_ANY_TIME);
	*found = (struct context_site){
		.pc = pc,
		.site = module ? catalog_site_at(contexts->catalog,
						 module->module,
						 pc - module->base)
			       : 0,
	};
	return found->site;
}

/*
 * Returns the caller of the last (outermost) context of the path, or NULL if it
 * is not recorded. Returns NULL also if the process has no Java stacks, because
 * then the caller is not needed.
 */
static const struct context *caller_of(const struct contexts *contexts,
				       size_t length)
{
	const struct context *context;

	if (length == 0 || contexts->numbering->stack_count == 0)
		return NULL;
	context = &contexts->items[contexts->path[length - 1]];
	return contexts_find(contexts, caller_id_of(context));
}

/*
 * If the context's function is a Java stack, returns the site at which the
 * innermost method of this stack calls; otherwise 0.
 */
static uint32_t announced_site_below(struct contexts *contexts,
				     const struct context *context)
{
	const struct numbering_stack *stack =
		context && contexts->numbering->stack_count
			? numbering_stack(contexts->numbering,
					  context->function)
			: NULL;

	return stack ? numbering_call_site(contexts->numbering,
					   contexts->catalog, stack,
					   stack->count - 1)
		     : 0;
}

/*
 * If the function `number` is a Java stack, adds nodes below `node` for its
 * methods except the innermost one, and returns the last of these nodes;
 * otherwise returns `node`. On entry *site is the site from which the outermost
 * method is called; on return it is the site from which the innermost method is
 * called.
 */
static uint32_t place_callers(struct contexts *contexts, uint32_t node,
			      uint32_t number, uint32_t *site)
{
	const struct numbering *numbering = contexts->numbering;
	const struct numbering_stack *stack =
		numbering->stack_count ? numbering_stack(numbering, number)
				       : NULL;

	for (size_t i = 0; stack && i < stack->count - 1; i++) {
		struct tree_node *made;

		node = tree_child(
			contexts->tree, node,
			stack->numbers[i] == WIRE_STACK_CUT
				? numbering->more_callers
				: function_of(contexts, stack->numbers[i]));
		made = &contexts->tree->nodes[node];
		made->is_context = 1;
		if (made->site == 0)
			made->site = *site;
		*site = numbering_call_site(numbering, contexts->catalog, stack,
					    i);
	}
	return node;
}

uint32_t contexts_place(struct contexts *contexts, struct context *start,
			uint32_t root)
{
	struct tree *tree = contexts->tree;
	size_t length = 0;
	uint32_t node = node_below(start, root), site;

	if (node != NODE_UNSEEN)
		return node;
	node = climb(contexts, start, root, &length);
	site = announced_site_below(contexts, caller_of(contexts, length));
	while (length > 0) {
		struct context *context =
			&contexts->items[contexts->path[--length]];
		const uint32_t function =
			function_of(contexts, context->function);
		struct tree_node *made;

		if (function == FUNCTION_UNKNOWN && !context->is_checked)
			contexts->inconsistencies.strangers++;
		context->is_checked = 1;
		node = place_callers(contexts, node, context->function, &site);
		node = tree_child(tree, node, function);
		context->node = node;
		made = &tree->nodes[node];
		made->is_context |= !contexts->numbering->has_no_calls;
		if (made->site == 0)
			made->site = site ? site : site_of(contexts, context);
		made->is_return_site = 1;
		site = announced_site_below(contexts, context);
	}
	return node;
}
