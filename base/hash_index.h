/* SPDX-License-Identifier: MIT */
/*
 * Where items are in an array of the caller's, by a hash of what they are known by.
 *
 * Open addressing with linear probing in a power-of-two table, at most three
 * quarters full; nothing is ever removed. A slot has eight bytes, for there are trees
 * of ten million nodes: the item's number and all 32 bits of its hash, so that
 * the table grows without a look at the items, and few but the item that is looked
 * for are looked at. What an item is known by, it alone has:
 *
 *	at = hash_index_first(&index, hash);
 *	while (at->item && !is_wanted(&items[at->item - 1]))
 *		at = hash_index_next(&index, hash, at);
 *
 * ends at the item that is wanted, or at the slot where it belongs.
 */
#ifndef CLEW_BASE_HASH_INDEX_H
#define CLEW_BASE_HASH_INDEX_H

#include <stddef.h>
#include <stdint.h>

struct hash_slot {
	uint32_t hash;
	uint32_t item; /* its number + 1; 0: the slot is empty */
};

/* Zero-initialise before use. */
struct hash_index {
	struct hash_slot *slots;
	size_t used;
	unsigned int log2; /* of the number of slots */
};

/*
 * Makes room for so many items in all: entering them moves no slot then. Needed
 * before all that follows but hash_index_prefetch().
 */
void hash_index_reserve(struct hash_index *index, size_t count);

void hash_index_fini(struct hash_index *index);

/* Fibonacci hashing: of a product the upper half depends on all lower bits. */
static inline uint32_t hash_of_word(uint64_t word)
{
	word ^= word >> 32;
	return (uint32_t)(word * UINT64_C(0x9e3779b97f4a7c15) >> 32);
}

static inline size_t hash_home(const struct hash_index *index, uint32_t hash)
{
	return hash >> (32 - index->log2);
}

/* `at`, or the first slot behind it, round the end, of this hash or of no item. */
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

/* Enters an item at the empty slot that a search has ended at; there must be room. */
static inline void hash_index_enter(struct hash_index *index,
				    struct hash_slot *at, uint32_t hash,
				    size_t item)
{
	index->used++;
	*at = (struct hash_slot){ .hash = hash, .item = (uint32_t)item + 1 };
}

/* Worth it some ten searches ahead, where no cache holds the table. */
static inline void hash_index_prefetch(const struct hash_index *index,
				       uint32_t hash)
{
	if (index->slots)
		__builtin_prefetch(&index->slots[hash_home(index, hash)]);
}

#endif
