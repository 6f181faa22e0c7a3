/* SPDX-License-Identifier: MIT */
/*
 * An index of the items in an array, by a hash of each item's key. The caller
 * owns the array.
 *
 * Open addressing with linear probing in a table of 2^n slots, at most three
 * quarters full; nothing is ever removed. A slot has only eight bytes, because
 * there are trees of ten million nodes: the item's number and all 32 bits of
 * the hash. With the hash in the slot, the table can grow without access to the
 * items, and a search seldom compares an item with another key. The keys are
 * only in the items, so the caller compares them:
 *
 *	at = hash_index_first(&index, hash);
 *	while (at->item && !is_wanted(&items[at->item - 1]))
 *		at = hash_index_next(&index, hash, at);
 *
 * The search ends at the wanted item, or at the free slot for it.
 */
#ifndef CLEW_BASE_HASH_INDEX_H
#define CLEW_BASE_HASH_INDEX_H

#include <stddef.h>
#include <stdint.h>

struct hash_slot {
	uint32_t hash;
	/* 1 + index of the item in the array; 0 in a free slot */
	uint32_t item;
};

/* The caller sets all members to 0 before use. */
struct hash_index {
	struct hash_slot *slots;
	size_t used;
	unsigned int log2; /* binary logarithm of the number of slots */
};

/* Enlarges the table so that it has room for `count` items in total. */
void hash_index_enlarge(struct hash_index *index, size_t count);

/* Returns how many items a table of 2^log2 slots may have. */
static inline size_t hash_index_room(unsigned int log2)
{
	return ((size_t)3 << log2) / 4;
}

/*
 * Makes room for `count` items in total, so that no slot moves while they are
 * entered. Must be called before the first search. Ends the process if memory
 * is short.
 */
static inline void hash_index_reserve(struct hash_index *index, size_t count)
{
	if (!index->slots || count > hash_index_room(index->log2))
		hash_index_enlarge(index, count);
}

void hash_index_fini(struct hash_index *index);

/*
 * Returns a hash of a word by Fibonacci hashing: the upper half of the product
 * depends on all bits of the word.
 */
static inline uint32_t hash_of_word(uint64_t word)
{
	word ^= word >> 32;
	return (uint32_t)(word * UINT64_C(0x9e3779b97f4a7c15) >> 32);
}

static inline size_t hash_home(const struct hash_index *index, uint32_t hash)
{
	return hash >> (32 - index->log2);
}

/*
 * Returns the first slot at or after `at`, with wrap-around, that has this hash
 * or is free.
 */
static inline struct hash_slot *hash_index_from(const struct hash_index *index,
						uint32_t hash, size_t at)
{
	const size_t mask = ((size_t)1 << index->log2) - 1;

	while (index->slots[at].item && index->slots[at].hash != hash)
		at = (at + 1) & mask;
	return &index->slots[at];
}

static inline struct hash_slot *hash_index_first(const struct hash_index *index,
						 uint32_t hash)
{
	return hash_index_from(index, hash, hash_home(index, hash));
}

static inline struct hash_slot *hash_index_next(const struct hash_index *index,
						uint32_t hash,
						const struct hash_slot *at)
{
	const size_t mask = ((size_t)1 << index->log2) - 1;

	return hash_index_from(index, hash,
			       ((size_t)(at - index->slots) + 1) & mask);
}

/*
 * Enters an item, by its index in the array, at the free slot where a search
 * has ended. There must be room (hash_index_reserve()).
 */
static inline void hash_index_enter(struct hash_index *index,
				    struct hash_slot *at, uint32_t hash,
				    size_t item)
{
	index->used++;
	*at = (struct hash_slot){ .hash = hash, .item = (uint32_t)item + 1 };
}

/*
 * Prefetches the first slot for a hash. Useful about ten searches before the
 * slot is needed, if the table is larger than the processor's caches.
 */
static inline void hash_index_prefetch(const struct hash_index *index,
				       uint32_t hash)
{
	if (index->slots)
		__builtin_prefetch(&index->slots[hash_home(index, hash)]);
}

#endif
