/* SPDX-License-Identifier: MIT */
/*
 * A map from 64-bit ids to 64-bit values.
 *
 * Open addressing with linear probing in a table of 2^n entries, at most half
 * full; nothing is ever removed. A multiplication mixes the bits of each id,
 * because ids may come from a file that was made to slow the map down. Id 0
 * marks an empty entry and cannot be a key. The functions end the process if
 * memory is short.
 */
#ifndef CLEW_BASE_IDMAP_H
#define CLEW_BASE_IDMAP_H

#include <stddef.h>
#include <stdint.h>

struct idmap_entry {
	uint64_t id; /* 0 if the entry is empty */
	uint64_t value;
};

/* The caller sets all members to 0 before use. */
struct idmap {
	struct idmap_entry *entries;
	size_t used;
	unsigned int log2; /* binary logarithm of the number of entries */
};

/*
 * Returns a pointer to the value of an id, or NULL if the map does not contain
 * it. The pointer is valid until the next idmap_at() or idmap_reserve().
 */
uint64_t *idmap_find(const struct idmap *map, uint64_t id);

/* Like idmap_find(), but enters an id that is not in the map, with value 0. */
uint64_t *idmap_at(struct idmap *map, uint64_t id);

/*
 * Prefetches the entry of an id. Useful about ten searches before the entry is
 * needed, if the map is larger than the processor's caches.
 */
void idmap_prefetch(const struct idmap *map, uint64_t id);

/*
 * Makes room for `count` ids in total, so that no entry moves while they are
 * entered.
 */
void idmap_reserve(struct idmap *map, size_t count);

void idmap_fini(struct idmap *map);

#endif
