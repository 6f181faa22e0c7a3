/* SPDX-License-Identifier: MIT */
/*
 * One pass over a unit's DIEs in order. Children are not skipped, since
 * functions with code may lie even inside types that lie inside functions.
 *
 * A *family* is a function with code and everything inside it. The functions
 * and inlined calls of a family are scopes, and each has ranges. Painting them
 * in order, each over the previous ones, yields the innermost scope of each
 * byte, even if a child extends beyond its parent; llvm-symbolizer gives the
 * same result. Painting is a sweep over the sorted ranges with a stack of open
 * ranges, with the latest scope on top.
 */
#include "symbolizer/dwarf/scopes.h"

#include <stdlib.h>

#include "base/varint.h"
#include "symbolizer/dwarf/constants.h"
#include "symbolizer/dwarf/lines.h"
#include "symbolizer/dwarf/ranges.h"
#include "symbolizer/elf/heap.h"
#include "symbolizer/elf/sort.h"

enum {
	NOWHERE = 0, /* the scope of a DIE outside all code */
	/* maximum number of scopes of one family, as a power of two */
	SCOPE_BITS = 24,
	RANGES_MOST = 1 << 26,
	NODE_MOST = 6 * VARINT_MOST,
};

/* A function or an inlined call. */
struct scope {
	/* index of the surrounding scope; NOWHERE for a function */
	uint32_t parent;
	uint32_t node; /* node in the gather; 0 if it was not added yet */
	uint32_t name;
	uint32_t call_file, call_line, call_column, call_discriminator;
};

/* Ranges are painted in order of `scope`. */
struct range {
	uint32_t start, end;
	uint32_t scope;
};

struct scopes {
	struct dwarf_unit *unit;
	struct gather *gather;
	struct scope *scopes; /* scopes of the family; [0] is NOWHERE */
	size_t count, capacity;
	struct range *ranges;
	size_t range_count, range_capacity;
	/* Indexed by depth: the scope that contains the DIE. */
	uint32_t *levels;
	size_t depth, level_capacity;
	size_t family_depth; /* depth of the function that began the family */
	struct dwarf_ranges found;
	uint64_t *keys, *scratch; /* used for sorting */
	size_t key_capacity, scratch_capacity;
	uint32_t *open; /* open ranges in order of scope */
	size_t open_capacity;
	size_t first_piece; /* index of the present run's first piece */
};

static uint32_t number_of(struct dwarf_value value)
{
	return value.form && value.number <= UINT32_MAX ? (uint32_t)value.number
							: 0;
}

static uint32_t add_scope(struct scopes *scopes, uint32_t parent,
			  const struct dwarf_die *die)
{
	struct dwarf_unit *unit = scopes->unit;

	scopes->scopes =
		heap_reserve(scopes->scopes, scopes->count + 1,
			     &scopes->capacity, sizeof(*scopes->scopes));
	scopes->scopes[scopes->count] = (struct scope){
		.parent = parent,
		.name = dwarf_function_name(unit, die),
		.call_file =
			die->call_file.form
				? dwarf_file_number(unit, die->call_file.number)
				: 0,
		.call_line = number_of(die->call_line),
		.call_column = number_of(die->call_column),
		.call_discriminator = number_of(die->discriminator),
	};
	return (uint32_t)scopes->count++;
}

static void add_ranges(struct scopes *scopes, uint32_t scope)
{
	const struct gather *gather = scopes->gather;
	size_t count = scopes->found.count;

	if (scopes->range_count + count > RANGES_MOST)
		return;
	scopes->ranges =
		heap_reserve(scopes->ranges, scopes->range_count + count,
			     &scopes->range_capacity, sizeof(*scopes->ranges));
	for (size_t i = 0; i < count; i++) {
		const struct dwarf_range *range = &scopes->found.items[i];

		scopes->ranges[scopes->range_count++] = (struct range){
			.start = gather_delta(gather, range->start),
			.end = gather_delta(gather, range->end),
			.scope = scope,
		};
	}
}

/* ---- painting ---- */

/*
 * Returns the node of a scope, which it adds behind its parent's node if
 * necessary; 0 if there is no more room.
 */
static uint32_t node_of(struct scopes *scopes, uint32_t index)
{
	struct scope *scope = &scopes->scopes[index];
	struct gather *gather = scopes->gather;
	uint32_t parent;
	uint8_t *to;

	if (index == NOWHERE || scope->node)
		return scope->node;
	parent = node_of(scopes, scope->parent);
	gather->nodes =
		heap_reserve(gather->nodes, gather->node_bytes + NODE_MOST,
			     &gather->node_capacity, 1);
	if (gather->node_bytes > UINT32_MAX - NODE_MOST)
		return 0;
	to = gather->nodes + gather->node_bytes;
	scope->node = (uint32_t)gather->node_bytes;
	to = varint_put(to, parent ? scope->node - parent : 0);
	to = varint_put(to, scope->name);
	if (parent) {
		to = varint_put(to, scope->call_file);
		to = varint_put(to, scope->call_line);
		to = varint_put(to, scope->call_column);
		to = varint_put(to, scope->call_discriminator);
	}
	gather->node_bytes = (size_t)(to - gather->nodes);
	return scope->node;
}

static void end_run(struct scopes *scopes)
{
	struct gather *gather = scopes->gather;
	size_t first = scopes->first_piece;

	if (gather->piece_count > first)
		gather_add_run(&gather->piece_runs, gather->pieces[first].start,
			       first, gather->piece_count - first);
	scopes->first_piece = gather->piece_count;
}

/*
 * Adds a piece of code. Pieces are added in order of address; a gap between two
 * pieces ends a run.
 */
static void add_piece(struct scopes *scopes, uint32_t start, uint32_t end,
		      uint32_t scope)
{
	struct gather *gather = scopes->gather;
	struct gather_piece *last;
	uint32_t node;

	if (start >= end)
		return;
	node = node_of(scopes, scope);
	if (gather->piece_count > scopes->first_piece) {
		last = &gather->pieces[gather->piece_count - 1];
		if (last->end == start && last->node == node) {
			last->end = end;
			return;
		}
		if (last->end != start)
			end_run(scopes);
	}
	gather->pieces =
		heap_reserve(gather->pieces, gather->piece_count + 1,
			     &gather->piece_capacity, sizeof(*gather->pieces));
	gather->pieces[gather->piece_count++] =
		(struct gather_piece){ start, end, node };
}

/*
 * Adds the pieces of the open ranges between the addresses *at and `until`,
 * removes ranges that end there, and sets *at to `until`.
 */
static void sweep_to(struct scopes *scopes, size_t *open_count, uint32_t *at,
		     uint32_t until)
{
	while (*open_count > 0 && *at < until) {
		const struct range *top =
			&scopes->ranges[scopes->open[*open_count - 1]];
		uint32_t end = top->end < until ? top->end : until;

		if (*at < end) {
			add_piece(scopes, *at, end, top->scope);
			*at = end;
		}
		if (top->end > until)
			break;
		--*open_count;
	}
	*at = until;
}

/* Inserts a range into the stack of open ranges, in order of scope. */
static void open_range(struct scopes *scopes, size_t *open_count,
		       uint32_t index)
{
	uint32_t scope = scopes->ranges[index].scope;
	size_t at = (*open_count)++;

	scopes->open =
		heap_reserve(scopes->open, *open_count, &scopes->open_capacity,
			     sizeof(*scopes->open));
	for (; at > 0 && scopes->ranges[scopes->open[at - 1]].scope > scope;
	     at--)
		scopes->open[at] = scopes->open[at - 1];
	scopes->open[at] = index;
}

/* Sorts by start, then by scope, so that later scopes are painted later. */
static void sort_ranges(struct scopes *scopes)
{
	size_t count = scopes->range_count;

	scopes->keys = heap_reserve(scopes->keys, count, &scopes->key_capacity,
				    sizeof(*scopes->keys));
	scopes->scratch =
		heap_reserve(scopes->scratch, count, &scopes->scratch_capacity,
			     sizeof(*scopes->scratch));
	/*
	 * Ranges were added in order of scope, so the index is the second key.
	 */
	for (size_t i = 0; i < count; i++)
		scopes->keys[i] = (uint64_t)scopes->ranges[i].start << 32 | i;
	sort_keys(scopes->keys, scopes->scratch, count);
}

static void paint_family(struct scopes *scopes)
{
	size_t open_count = 0;
	uint32_t at = 0;

	sort_ranges(scopes);
	scopes->first_piece = scopes->gather->piece_count;
	for (size_t i = 0; i < scopes->range_count; i++) {
		uint32_t index = (uint32_t)scopes->keys[i];

		sweep_to(scopes, &open_count, &at, scopes->ranges[index].start);
		open_range(scopes, &open_count, index);
	}
	sweep_to(scopes, &open_count, &at, UINT32_MAX);
	end_run(scopes);
	scopes->count = 1;
	scopes->range_count = 0;
}

/* ---- scanning ---- */

static uint32_t enter_scope(struct scopes *scopes, const struct abbrev *abbrev,
			    struct cursor *cursor, uint32_t parent)
{
	struct dwarf_die die;
	uint32_t scope;

	dwarf_read_die(scopes->unit, abbrev, cursor, &die);
	dwarf_ranges(scopes->unit, &die, &scopes->found);
	/* The function was discarded, or the inlined call has no code. */
	if (scopes->found.count == 0 && !abbrev->has_children)
		return NOWHERE;
	if (abbrev->kind == ABBREV_FUNCTION_WITH_CODE)
		parent = NOWHERE;
	else if (parent == NOWHERE)
		return NOWHERE;
	if (scopes->found.count == 0 && parent == NOWHERE)
		return NOWHERE;
	if (scopes->count >= (size_t)1 << SCOPE_BITS)
		return NOWHERE;
	scope = add_scope(scopes, parent, &die);
	add_ranges(scopes, scope);
	return scope;
}

static void push(struct scopes *scopes, uint32_t scope)
{
	scopes->levels =
		heap_reserve(scopes->levels, scopes->depth + 1,
			     &scopes->level_capacity, sizeof(*scopes->levels));
	scopes->levels[scopes->depth++] = scope;
}

/* Returns whether the present DIE is outside the last family. */
static int is_outside(const struct scopes *scopes)
{
	return scopes->count > 1 && scopes->depth <= scopes->family_depth;
}

static void visit(struct scopes *scopes, const struct abbrev *abbrev,
		  struct cursor *cursor)
{
	uint32_t scope =
		scopes->depth ? scopes->levels[scopes->depth - 1] : NOWHERE;
	size_t before = scopes->count;

	switch (abbrev->kind) {
	case ABBREV_OTHER:
		abbrev_skip(abbrev, cursor);
		break;
	case ABBREV_FUNCTION:
		abbrev_skip(abbrev, cursor);
		scope = NOWHERE;
		break;
	default:
		if (abbrev->kind == ABBREV_INLINED && scope == NOWHERE) {
			abbrev_skip(abbrev, cursor);
			break;
		}
		scope = enter_scope(scopes, abbrev, cursor, scope);
		break;
	}
	if (before == 1 && scopes->count > 1)
		scopes->family_depth = scopes->depth;
	if (abbrev->has_children)
		push(scopes, scope);
	else if (is_outside(scopes))
		paint_family(scopes);
}

void dwarf_read_scopes(struct scopes *scopes, struct dwarf_unit *unit)
{
	struct cursor cursor = cursor_at(unit->file->info, unit->root);
	const struct abbrev_table *abbrevs = dwarf_abbrevs(unit);

	cursor.end = unit->file->info.at + unit->end;
	scopes->unit = unit;
	scopes->gather = unit->file->gather;
	scopes->depth = 0;
	scopes->count = 1;
	scopes->range_count = 0;
	do {
		uint64_t code = cursor_uleb(&cursor);

		if (code == 0) {
			if (scopes->depth == 0)
				break;
			scopes->depth--;
			if (is_outside(scopes))
				paint_family(scopes);
			continue;
		}
		if (code >= abbrevs->count ||
		    abbrevs->items[code].kind == ABBREV_ABSENT) {
			cursor_spoil(&cursor);
			break;
		}
		visit(scopes, &abbrevs->items[code], &cursor);
	} while (cursor.at < cursor.end);
	if (cursor.is_bad)
		unit->file->damaged++;
	if (scopes->count > 1)
		paint_family(scopes);
	/* Frees the map of names, most of which are only used by this unit. */
	map_fini(&unit->name_by_die);
}

struct scopes *scopes_create(void)
{
	struct scopes *scopes = heap_zeroed(1, sizeof(*scopes));

	scopes->scopes = heap_reserve(NULL, 1, &scopes->capacity,
				      sizeof(*scopes->scopes));
	scopes->scopes[0] = (struct scope){ 0 };
	return scopes;
}

void scopes_destroy(struct scopes *scopes)
{
	free(scopes->scopes);
	free(scopes->ranges);
	free(scopes->levels);
	free(scopes->found.items);
	free(scopes->keys);
	free(scopes->scratch);
	free(scopes->open);
	free(scopes);
}
