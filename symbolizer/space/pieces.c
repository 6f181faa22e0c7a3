/* SPDX-License-Identifier: MIT */
/* See pieces.h. */
#include "symbolizer/space/pieces.h"

#include "symbolizer/elf/sort.h"
#include "symbolizer/space/sweep.h"

/* Lists every start and end once, in ascending order. */
static int list_borders(struct pieces *pieces)
{
	const struct claims *claims = &pieces->claims;
	size_t count = claims->count * 2, kept = 0;
	uint64_t *borders = reallocarray(NULL, count, sizeof(*borders));
	uint64_t *scratch = reallocarray(NULL, count, sizeof(*scratch));

	pieces->borders = borders;
	if (!borders || !scratch) {
		free(scratch);
		return -ENOMEM;
	}
	for (size_t i = 0; i < claims->count; i++) {
		borders[2 * i] = claims->items[i].start;
		borders[2 * i + 1] = claims->items[i].end;
	}
	sort_keys(borders, scratch, count);
	for (size_t i = 0; i < count; i++) {
		if (i == 0 || borders[i] != borders[kept - 1])
			borders[kept++] = borders[i];
	}
	pieces->border_count = kept;
	free(scratch);
	return 0;
}

enum { NODES = 64 }; /* at most two on each of 31 levels */

/*
 * The tree: its leaves, one for each slot, are nodes slots .. 2 * slots - 1.
 * The parent of a node is half its number, and 1 is the root. If the number of
 * slots is no power of two, the shape is irregular, but every slot has one path
 * to the root.
 *
 * Stores the nodes that cover a piece and returns their number.
 */
static size_t nodes_of(const struct piece *piece, size_t slots,
		       size_t nodes[NODES])
{
	size_t low = piece->first + slots, high = piece->last + slots;
	size_t count = 0;

	for (; low < high; low /= 2, high /= 2) {
		if (low & 1)
			nodes[count++] = low++;
		if (high & 1)
			nodes[count++] = --high;
	}
	return count;
}

/* Counts the pieces of each node in nodes[node + 1].head. Returns the sum. */
static size_t count_entries(struct pieces *pieces)
{
	size_t nodes[NODES];
	size_t sum = 0;

	for (size_t i = 0; i < pieces->all.count; i++) {
		size_t count = nodes_of(&pieces->all.items[i],
					pieces->border_count - 1, nodes);

		for (size_t j = 0; j < count; j++)
			pieces->nodes[nodes[j] + 1].head++;
		sum += count;
	}
	return sum;
}

static uint64_t from_of(const struct pieces *pieces, size_t piece)
{
	return pieces->claims.items[pieces->all.items[piece].claim].from;
}

/*
 * Pieces are sorted by end, and those of a node do not overlap in time. Each
 * node therefore has them in ascending order of both times. Afterwards a node's
 * head is the end of its entries.
 */
static void fill_entries(struct pieces *pieces)
{
	size_t nodes[NODES];

	for (size_t i = 0; i < pieces->all.count; i++) {
		size_t count = nodes_of(&pieces->all.items[i],
					pieces->border_count - 1, nodes);

		for (size_t j = 0; j < count; j++) {
			uint32_t entry = pieces->nodes[nodes[j]].head++;

			pieces->entries[entry] =
				(struct pieces_entry){ from_of(pieces, i),
						       (uint32_t)i, 0 };
		}
	}
}

/* Sets heads to the first entries again, and links nodes to ancestors. */
static void finish_nodes(struct pieces_node *nodes, size_t count)
{
	for (size_t i = count; i > 0; i--)
		nodes[i].head = nodes[i - 1].head;
	nodes[0].head = 0;
	for (size_t i = 2; i < count; i++) {
		const struct pieces_node *above = &nodes[i / 2];

		nodes[i].up = above[0].head != above[1].head ? (uint32_t)i / 2
							     : above->up;
	}
}

static int build_tree(struct pieces *pieces)
{
	size_t count = 2 * (pieces->border_count - 1), sum;
	struct pieces_node *nodes = calloc(count + 1, sizeof(*nodes));

	pieces->nodes = nodes;
	if (!nodes)
		return -ENOMEM;
	sum = count_entries(pieces);
	if (sum >= UINT32_MAX)
		return -ENOMEM;
	pieces->entries = reallocarray(NULL, sum + 1, sizeof(*pieces->entries));
	if (!pieces->entries)
		return -ENOMEM;
	for (size_t i = 1; i <= count; i++)
		nodes[i].head += nodes[i - 1].head;
	fill_entries(pieces);
	finish_nodes(nodes, count);
	return 0;
}

static int build_fences(struct pieces *pieces)
{
	size_t count = (pieces->border_count - 1) / PIECES_FENCE + 1;

	pieces->fences = reallocarray(NULL, count, sizeof(uint64_t));
	if (!pieces->fences)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		pieces->fences[i] = pieces->borders[i * PIECES_FENCE];
	return 0;
}

/* Releases the unused capacity of the vector. */
static void shrink(struct piece_vector *all)
{
	struct piece *items =
		reallocarray(all->items, all->count + 1, sizeof(*items));

	if (!items)
		return;
	all->items = items;
	all->capacity = all->count + 1;
}

int pieces_build(struct pieces *out, struct claims *claims)
{
	struct pieces pieces = { .claims = *claims };
	int err;

	if (claims->count == 0) {
		*out = (struct pieces){ 0 };
		return 0;
	}
	err = list_borders(&pieces);
	if (!err)
		err = build_fences(&pieces);
	if (!err)
		err = sweep_claims(&pieces);
	if (!err)
		err = build_tree(&pieces);
	if (err) {
		pieces.claims = (struct claims){ 0 };
		pieces_fini(&pieces);
		return err;
	}
	shrink(&pieces.all);
	*claims = (struct claims){ 0 };
	*out = pieces;
	return 0;
}

void pieces_fini(struct pieces *pieces)
{
	free(pieces->claims.items);
	free(pieces->borders);
	free(pieces->all.items);
	free(pieces->fences);
	free(pieces->nodes);
	free(pieces->entries);
	*pieces = (struct pieces){ 0 };
}

/*
 * Returns the index of the last number that is <= limit. The numbers ascend,
 * and the first one is <= limit.
 */
static size_t last_not_above(const uint64_t *numbers, size_t count,
			     uint64_t limit)
{
	const uint64_t *at = numbers;

	while (count > 1) {
		size_t half = count / 2;

		at += at[half] <= limit ? half : 0;
		count -= half;
	}
	return (size_t)(at - numbers);
}

/*
 * Returns the slot that contains the pc. The pc must lie between the first and
 * the last border.
 */
static size_t slot_at(const struct pieces *pieces, uint64_t pc)
{
	size_t fences = (pieces->border_count - 1) / PIECES_FENCE + 1;
	size_t first =
		last_not_above(pieces->fences, fences, pc) * PIECES_FENCE;
	size_t left = pieces->border_count - first;

	return first + last_not_above(pieces->borders + first,
				      left < PIECES_FENCE ? left : PIECES_FENCE,
				      pc);
}

/* Returns the piece of a node that exists at that time, or NULL. */
static const struct piece *find_in_node(const struct pieces *pieces,
					const struct pieces_node *node,
					uint64_t time)
{
	const struct pieces_entry *at = pieces->entries + node[0].head;
	size_t count = node[1].head - node[0].head;
	const struct piece *piece;

	if (count == 0 || at->from > time)
		return NULL;
	while (count > 1) {
		size_t half = count / 2;

		at += at[half].from <= time ? half : 0;
		count -= half;
	}
	piece = &pieces->all.items[at->piece];
	return piece->to > time || piece->to == PIECES_NEVER ? piece : NULL;
}

const struct piece *pieces_find(const struct pieces *pieces, uint64_t pc,
				uint64_t time)
{
	const struct piece *piece = NULL;
	size_t slots = pieces->border_count - 1;
	size_t node;

	if (pieces->border_count == 0 || pc < pieces->borders[0] ||
	    pc >= pieces->borders[slots])
		return NULL;
	node = slot_at(pieces, pc) + slots;
	for (; node > 0 && !piece; node = pieces->nodes[node].up)
		piece = find_in_node(pieces, &pieces->nodes[node], time);
	return piece;
}
