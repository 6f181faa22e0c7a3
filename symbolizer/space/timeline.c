/* SPDX-License-Identifier: MIT */
#include "symbolizer/space/timeline.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { NONE = 0, NEW_NODES = 3 };

/* ---- room ---- */

static int reserve(void **items, size_t wanted, size_t *capacity, size_t size)
{
	size_t room = *capacity ? *capacity : 64;
	void *grown;

	if (wanted <= *capacity)
		return 0;
	while (room < wanted)
		room *= 2;
	grown = reallocarray(*items, room, size);
	if (!grown)
		return -ENOMEM;
	*items = grown;
	*capacity = room;
	return 0;
}

static size_t count_nodes(const struct timeline *timeline, uint32_t node)
{
	if (node == NONE)
		return 0;
	return 1 + count_nodes(timeline, timeline->nodes[node].left) +
	       count_nodes(timeline, timeline->nodes[node].right);
}

static int reserve_nodes(struct timeline *timeline)
{
	if (timeline->node_count + NEW_NODES >= UINT32_MAX)
		return -ENOMEM;
	if (reserve((void **)&timeline->nodes,
		    timeline->node_count + NEW_NODES + 1,
		    &timeline->node_capacity, sizeof(*timeline->nodes)) != 0)
		return -ENOMEM;
	if (timeline->node_count == 0) {
		memset(timeline->nodes, 0, sizeof(*timeline->nodes));
		timeline->node_count = 1;
		timeline->random = 0x9e3779b9;
	}
	return 0;
}

static int reserve_past(struct timeline *timeline, size_t more)
{
	return reserve((void **)&timeline->past, timeline->past_count + more,
		       &timeline->past_capacity, sizeof(*timeline->past));
}

static uint32_t make_node(struct timeline *timeline, const struct piece *piece)
{
	uint32_t node = timeline->free_list;

	if (node != NONE)
		timeline->free_list = timeline->nodes[node].left;
	else
		node = (uint32_t)timeline->node_count++;
	timeline->random ^= timeline->random << 13; /* xorshift */
	timeline->random ^= timeline->random >> 17;
	timeline->random ^= timeline->random << 5;
	timeline->nodes[node] = (struct timeline_node){
		.piece = *piece,
		.priority = timeline->random,
	};
	return node;
}

/* ---- the treap ---- */

/* Pieces that start before `start` go left, the others right. */
static void split(struct timeline *timeline, uint32_t tree, uint64_t start,
		  uint32_t *left, uint32_t *right)
{
	struct timeline_node *node = &timeline->nodes[tree];

	if (tree == NONE) {
		*left = *right = NONE;
		return;
	}
	if (node->piece.start < start) {
		*left = tree;
		split(timeline, node->right, start, &node->right, right);
	} else {
		*right = tree;
		split(timeline, node->left, start, left, &node->left);
	}
}

static uint32_t join(struct timeline *timeline, uint32_t left, uint32_t right)
{
	struct timeline_node *nodes = timeline->nodes;

	if (left == NONE || right == NONE)
		return left == NONE ? right : left;
	if (nodes[left].priority > nodes[right].priority) {
		nodes[left].right = join(timeline, nodes[left].right, right);
		return left;
	}
	nodes[right].left = join(timeline, left, nodes[right].left);
	return right;
}

/* The live piece that an address is in, or NULL. */
static struct piece *live_at(const struct timeline *timeline, uint64_t address)
{
	uint32_t at = timeline->root;

	while (at != NONE) {
		struct timeline_node *node = &timeline->nodes[at];

		if (address < node->piece.start)
			at = node->left;
		else if (address < node->piece.end)
			return &node->piece;
		else
			at = node->right;
	}
	return NULL;
}

static void insert(struct timeline *timeline, const struct piece *piece)
{
	uint32_t left, right, node = make_node(timeline, piece);

	split(timeline, timeline->root, piece->start, &left, &right);
	timeline->root = join(timeline, join(timeline, left, node), right);
}

/* So that no live piece has `address` inside. Both halves stay live. */
static void cut_at(struct timeline *timeline, uint64_t address)
{
	struct piece *piece = live_at(timeline, address);
	struct piece rest;

	if (!piece || piece->start == address)
		return;
	rest = *piece;
	rest.start = address;
	piece->end = address;
	insert(timeline, &rest);
}

static void bury(struct timeline *timeline, const struct piece *piece,
		 uint64_t time)
{
	struct piece *past = &timeline->past[timeline->past_count++];

	*past = *piece;
	past->to = time;
}

/* Ends the pieces of a tree, all of them or those of one object. */
static void end_tree(struct timeline *timeline, uint32_t tree, uint64_t time,
		     const uint32_t *object, uint32_t *kept)
{
	struct timeline_node *node = &timeline->nodes[tree];
	uint32_t right = node->right;

	if (tree == NONE)
		return;
	end_tree(timeline, node->left, time, object, kept);
	node->left = node->right = NONE;
	if (object && node->piece.object != *object) {
		*kept = join(timeline, *kept, tree);
	} else {
		bury(timeline, &node->piece, time);
		node->left = timeline->free_list;
		timeline->free_list = tree;
	}
	end_tree(timeline, right, time, object, kept);
}

static int end_between(struct timeline *timeline, uint64_t start, uint64_t end,
		       uint64_t time, const uint32_t *object)
{
	uint32_t left, middle, right, kept = NONE;
	int err = reserve_nodes(timeline);

	if (err || start >= end)
		return err;
	cut_at(timeline, start);
	cut_at(timeline, end);
	split(timeline, timeline->root, start, &left, &right);
	split(timeline, right, end, &middle, &right);
	err = reserve_past(timeline, count_nodes(timeline, middle));
	if (err)
		kept = middle;
	else
		end_tree(timeline, middle, time, object, &kept);
	timeline->root = join(timeline, left, join(timeline, kept, right));
	return err;
}

int timeline_clear(struct timeline *timeline, uint64_t start, uint64_t end,
		   uint64_t time)
{
	return end_between(timeline, start, end, time, NULL);
}

int timeline_remove(struct timeline *timeline, uint64_t start, uint64_t end,
		    uint64_t time, uint32_t object)
{
	return end_between(timeline, start, end, time, &object);
}

int timeline_put(struct timeline *timeline, uint64_t start, uint64_t end,
		 uint64_t time, uint32_t object)
{
	struct piece piece = {
		.start = start,
		.end = end,
		.from = time,
		.to = UINT64_MAX,
		.base = start,
		.object = object,
	};
	int err = end_between(timeline, start, end, time, NULL);

	if (!err && start < end)
		insert(timeline, &piece);
	return err;
}

/* ---- the past ---- */

static int by_start(const void *left, const void *right)
{
	const struct piece *a = left, *b = right;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return a->from < b->from ? -1 : a->from > b->from;
}

/* The middle of [low, high) is the root of the items in it. */
static uint64_t set_reach(struct timeline *timeline, size_t low, size_t high)
{
	size_t middle = low + (high - low) / 2;
	uint64_t reach, other;

	if (low >= high)
		return 0;
	reach = timeline->past[middle].end;
	other = set_reach(timeline, low, middle);
	reach = other > reach ? other : reach;
	other = set_reach(timeline, middle + 1, high);
	reach = other > reach ? other : reach;
	return timeline->reach[middle] = reach;
}

int timeline_settle(struct timeline *timeline)
{
	size_t count = timeline->past_count;
	uint64_t *reach;

	if (timeline->sorted == count)
		return 0;
	reach = reallocarray(timeline->reach, count, sizeof(*reach));
	if (!reach)
		return -ENOMEM;
	timeline->reach = reach;
	qsort(timeline->past, count, sizeof(*timeline->past), by_start);
	set_reach(timeline, 0, count);
	timeline->sorted = count;
	return 0;
}

struct query {
	uint64_t address;
	uint64_t time;
	const uint32_t *object; /* then the time is of no importance */
	const struct piece *found;
};

static void consider(struct query *query, const struct piece *piece)
{
	if (query->address < piece->start || query->address >= piece->end)
		return;
	if (query->object) {
		if (piece->object == *query->object &&
		    (!query->found || query->found->from < piece->from))
			query->found = piece;
	} else if (piece->from <= query->time && query->time < piece->to) {
		query->found = piece;
	}
}

static void search(const struct timeline *timeline, size_t low, size_t high,
		   struct query *query)
{
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (timeline->reach[middle] <= query->address)
			return;
		search(timeline, low, middle, query);
		consider(query, &timeline->past[middle]);
		if (timeline->past[middle].start > query->address)
			return;
		low = middle + 1;
	}
}

const struct piece *timeline_find(const struct timeline *timeline,
				  uint64_t address, uint64_t time)
{
	struct query query = { .address = address, .time = time };
	const struct piece *live = live_at(timeline, address);

	if (live && live->from <= time)
		return live;
	search(timeline, 0, timeline->sorted, &query);
	return query.found;
}

const struct piece *timeline_find_object(const struct timeline *timeline,
					 uint64_t address, uint32_t object)
{
	struct query query = { .address = address, .object = &object };
	const struct piece *live = live_at(timeline, address);

	if (live && live->object == object)
		return live;
	search(timeline, 0, timeline->sorted, &query);
	return query.found;
}

void timeline_fini(struct timeline *timeline)
{
	free(timeline->nodes);
	free(timeline->past);
	free(timeline->reach);
	*timeline = (struct timeline){ 0 };
}
