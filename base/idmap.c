/* SPDX-License-Identifier: MIT */
/* See idmap.h. */
#include "base/idmap.h"

#include <assert.h>
#include <stdlib.h>

#include "base/memory.h"

enum { FIRST_LOG2 = 6 };

/*
 * Returns the entry where the search for an id begins, by Fibonacci hashing:
 * the upper bits of the product depend on all bits of the id.
 */
static size_t home_of(const struct idmap *map, uint64_t id)
{
	id ^= id >> 32;
	return id * UINT64_C(0x9e3779b97f4a7c15) >> (64 - map->log2);
}

/*
 * Returns the entry of an id or, if the map does not contain the id, the empty
 * entry for it.
 */
static struct idmap_entry *entry_of(const struct idmap *map, uint64_t id)
{
	size_t mask = ((size_t)1 << map->log2) - 1;
	size_t at = home_of(map, id);

	while (map->entries[at].id != 0 && map->entries[at].id != id)
		at = (at + 1) & mask;
	return &map->entries[at];
}

static void resize(struct idmap *map, unsigned int log2)
{
	struct idmap old = *map;

	map->log2 = log2;
	map->entries = memory_zeroed((size_t)1 << log2, sizeof(*map->entries));
	if (!old.entries)
		return;
	for (size_t i = 0; i < (size_t)1 << old.log2; i++) {
		if (old.entries[i].id != 0)
			*entry_of(map, old.entries[i].id) = old.entries[i];
	}
	free(old.entries);
}

uint64_t *idmap_find(const struct idmap *map, uint64_t id)
{
	struct idmap_entry *entry;

	if (!map->entries || id == 0)
		return NULL;
	entry = entry_of(map, id);
	return entry->id ? &entry->value : NULL;
}

uint64_t *idmap_at(struct idmap *map, uint64_t id)
{
	struct idmap_entry *entry;

	assert(id != 0);
	if (!map->entries)
		resize(map, FIRST_LOG2);
	entry = entry_of(map, id);
	if (entry->id)
		return &entry->value;
	if (++map->used > (size_t)1 << (map->log2 - 1)) {
		resize(map, map->log2 + 1);
		entry = entry_of(map, id);
	}
	entry->id = id;
	return &entry->value;
}

void idmap_prefetch(const struct idmap *map, uint64_t id)
{
	if (map->entries)
		__builtin_prefetch(&map->entries[home_of(map, id)]);
}

void idmap_reserve(struct idmap *map, size_t count)
{
	unsigned int log2 = FIRST_LOG2;

	while ((size_t)1 << (log2 - 1) < count)
		log2++;
	if (!map->entries || log2 > map->log2)
		resize(map, log2);
}

void idmap_fini(struct idmap *map)
{
	free(map->entries);
	*map = (struct idmap){ 0 };
}
