/* SPDX-License-Identifier: MIT */
/*
 * A map from 64-bit ids to 64-bit values.
 *
 * Open addressing with linear probing in a power-of-two table, at most half
 * full; nothing is ever removed. The ids may come from a hostile file, so they
 * are mixed with a multiplication rather than trusted to be random. Id 0 is
 * what an empty entry holds and cannot be a key.
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

/* The value of id, or NULL. Valid until the next idmap_at(). */
uint64_t *idmap_find(const struct idmap *map, uint64_t id);

/* The same, but an id that was not there is entered with value 0. */
uint64_t *idmap_at(struct idmap *map, uint64_t id);

/*
 * Fetches where an id is, or would be: worth it some ten ids before it is
 * looked for in a map that no cache holds.
 */
void idmap_prefetch(const struct idmap *map, uint64_t id);

/* Makes room for so many ids in all: entering them moves nothing then. */
void idmap_reserve(struct idmap *map, size_t count);

void idmap_fini(struct idmap *map);

#endif
