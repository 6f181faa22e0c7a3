/* SPDX-License-Identifier: MIT */
/*
 * An index of items in an array of the caller's, by a hash of each item's key.
 *
 * Open addressing with linear probing in a table of 2^n slots, at most three
 * quarters full; nothing is ever removed. A slot has eight bytes, because there
 * are trees of ten million nodes: the item's number and all 32 bits of its
 * hash. The table therefore grows without reading the items, and a search reads
 * few items besides the wanted one. Only the item itself contains its key:
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
	uint32_t item; /* its number + 1; 0: free */
};

/* Zero-initialise before use. */
struct hash_index {
	struct hash_slot *slots;
	size_t used;
	unsigned int log2; /* of the number of slots */
};

/*
 * Makes room for `count` items in total, so that entering them moves no slot.
 * Required before all functions below except hash_index_prefetch().
 */
void hash_index_reserve(struct hash_index *index, size_t count);

void hash_index_fini(struct hash_index *index);

/* Fibonacci hashing: the upper half of a product depends on all lower bits. */
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

/* Enters an item at the free slot where a search ended; there must be room. */
static inline void hash_index_enter(struct hash_index *index,
				    struct hash_slot *at, uint32_t hash,
				    size_t item)
{
	index->used++;
	*at = (struct hash_slot){ .hash = hash, .item = (uint32_t)item + 1 };
}

/* Useful about ten searches ahead, if the table exceeds the caches. */
static inline void hash_index_prefetch(const struct hash_index *index,
				       uint32_t hash)
{
	if (index->slots)
		__builtin_prefetch(&index->slots[hash_home(index, hash)]);
}

#endif
