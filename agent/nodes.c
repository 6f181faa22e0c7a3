/* SPDX-License-Identifier: MIT */
/*
 * Nodes by id: a trie over the bits of the id's hash (P. Bagwell, "Ideal Hash
 * Trees", 2001, without his bitmaps). A way is empty, or leads to a leaf, or to
 * a fork with more ways. A way changes at most twice, by compare-and-swap: from
 * empty to a leaf, and from a leaf to a fork that contains that leaf. Nothing
 * moves, an id has only one position, and no thread waits. Memory that a thread
 * allocates but cannot use, because another thread was first, stays unused
 * until the table is freed.
 */
#include "agent/nodes.h"

#include <stdatomic.h>

#include "agent/clew.h"

/* Odd, so that different ids have different products. */
#define HASH_MULTIPLIER UINT64_C(0x9e3779b97f4a7c15)
#define ROOT_BITS       12
#define FORK_BITS       6
/* flag of a way, the lowest bit of its address */
#define IS_FORK    UINT64_C(1)
#define SLAB_BYTES 65536

struct node_leaf {
	uint64_t id;
	void *node;
};

struct node_fork {
	_Atomic uint64_t ways[1 << FORK_BITS];
};

/* The head of a block of memory, which leaves and forks follow. */
struct node_slab {
	struct node_slab *older;
	/* Number of bytes in use. Allocations that did not fit are included. */
	_Atomic size_t used;
};

struct clew_nodes {
	const struct node_memory *memory;
	struct node_slab *_Atomic slab; /* the newest block of memory */
	_Atomic uint64_t ways[1 << ROOT_BITS];
};

/*
 * A position in the trie: the way, and how many of the hash's highest bits led
 * to it.
 */
struct course {
	_Atomic uint64_t *way;
	unsigned int bits; /* number of the hash's bits used so far */
};

static uint64_t bits_behind(uint64_t id, unsigned int bits, unsigned int count)
{
	/*
	 * If all 64 bits are used up, the result does not matter: different
	 * hashes differ in a bit before.
	 */
	return bits < 64 ? id * HASH_MULTIPLIER << bits >> (64 - count) : 0;
}

static struct course begin(struct clew_nodes *nodes, uint64_t id)
{
	return (struct course){ &nodes->ways[bits_behind(id, 0, ROOT_BITS)],
				ROOT_BITS };
}

static void take_fork(struct course *course, uint64_t way, uint64_t id)
{
	struct node_fork *fork = (struct node_fork *)(way - IS_FORK);

	course->way = &fork->ways[bits_behind(id, course->bits, FORK_BITS)];
	course->bits += FORK_BITS;
}

struct clew_nodes *nodes_new(const struct node_memory *memory)
{
	struct clew_nodes *nodes = memory->take(sizeof(*nodes));

	if (nodes)
		nodes->memory = memory;
	return nodes;
}

void clew_nodes_free(struct clew_nodes *nodes)
{
	const struct node_memory *memory;
	struct node_slab *slab, *older;

	if (!nodes)
		return;
	memory = nodes->memory;
	for (slab = nodes->slab; slab; slab = older) {
		older = slab->older;
		memory->give_back(slab, SLAB_BYTES);
	}
	memory->give_back(nodes, sizeof(*nodes));
}

void *clew_node(const struct clew_nodes *nodes, uint64_t id)
{
	struct course course = begin((struct clew_nodes *)nodes, id);
	const struct node_leaf *leaf;
	uint64_t way;

	while ((way = atomic_load_explicit(course.way, memory_order_acquire)) &
	       IS_FORK)
		take_fork(&course, way, id);
	leaf = (const struct node_leaf *)way;
	return leaf && leaf->id == id ? leaf->node : NULL;
}

/*
 * Allocates zeroed memory from the table's blocks. Returns NULL if there is
 * none.
 */
static void *take_memory(struct clew_nodes *nodes, size_t bytes)
{
	struct node_slab *slab = nodes->slab;

	for (;;) {
		struct node_slab *made;

		if (slab) {
			size_t at = atomic_fetch_add(&slab->used, bytes);

			if (at + bytes <= SLAB_BYTES)
				return (unsigned char *)slab + at;
		}
		made = nodes->memory->take(SLAB_BYTES);
		if (!made)
			return NULL;
		made->older = slab;
		made->used = sizeof(*made);
		if (atomic_compare_exchange_strong(&nodes->slab, &slab, made))
			slab = made;
		else
			nodes->memory->give_back(made, SLAB_BYTES);
	}
}

/*
 * Returns the way to a new fork that contains the leaf to which `way` leads; 0
 * without memory.
 */
static uint64_t make_fork(struct clew_nodes *nodes, uint64_t way,
			  unsigned int bits)
{
	const struct node_leaf *leaf = (const struct node_leaf *)way;
	struct node_fork *fork = take_memory(nodes, sizeof(*fork));

	if (!fork)
		return 0;
	fork->ways[bits_behind(leaf->id, bits, FORK_BITS)] = way;
	return (uint64_t)fork + IS_FORK;
}

void *clew_node_add(struct clew_nodes *nodes, uint64_t id, void *node)
{
	struct course course = begin(nodes, id);
	struct node_leaf *leaf = NULL;

	for (;;) {
		uint64_t way =
			atomic_load_explicit(course.way, memory_order_acquire);
		const struct node_leaf *there = (struct node_leaf *)way;
		uint64_t to;

		if (way & IS_FORK) {
			take_fork(&course, way, id);
			continue;
		}
		if (way && there->id == id)
			return there->node;
		if (!leaf && !way) {
			leaf = take_memory(nodes, sizeof(*leaf));
			if (!leaf)
				return NULL;
			*leaf = (struct node_leaf){ id, node };
		}
		to = way ? make_fork(nodes, way, course.bits) : (uint64_t)leaf;
		if (!to)
			return NULL;
		if (atomic_compare_exchange_strong(course.way, &way, to) &&
		    to == (uint64_t)leaf)
			return node;
	}
}
