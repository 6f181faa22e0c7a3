/* SPDX-License-Identifier: MIT */
/*
 * A map from 64-bit ids to 64-bit values.
 *
 * Open addressing with linear probing in a table of 2^n entries, at most half
 * full; nothing is ever removed. The ids may come from a hostile file, so they
 * are mixed by a multiplication. Id 0 marks an empty entry and cannot be a key.
 */
#ifndef CLEW_BASE_IDMAP_H
#define CLEW_BASE_IDMAP_H

#include <stddef.h>
#include <stdint.h>

struct idmap_entry {
	uint64_t id; /* 0: empty */
	uint64_t value;
};

/* Zero-initialise before use. */
struct idmap {
	struct idmap_entry *entries;
	size_t used;
	unsigned int log2; /* of the number of entries */
};

/* Returns the value of id, or NULL. Valid until the next idmap_at(). */
uint64_t *idmap_find(const struct idmap *map, uint64_t id);

/* Like idmap_find(), but enters a new id with value 0. */
uint64_t *idmap_at(struct idmap *map, uint64_t id);

/*
 * Prefetches the entry of id: useful about ten searches ahead, if the map
 * exceeds the caches.
 */
void idmap_prefetch(const struct idmap *map, uint64_t id);

/* Makes room for `count` ids in total, so that entering them moves nothing. */
void idmap_reserve(struct idmap *map, size_t count);

void idmap_fini(struct idmap *map);

#endif
