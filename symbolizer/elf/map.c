/* SPDX-License-Identifier: MIT */
/* See map.h. */
#include "symbolizer/elf/map.h"

#include <stdlib.h>

#include "symbolizer/elf/heap.h"

enum { FIRST_LOG2 = 8 };

static struct map_entry *entry_of(const struct map *map, uint64_t key)
{
	size_t mask = ((size_t)1 << map->log2) - 1;
	uint64_t mixed = (key ^ key >> 32) * UINT64_C(0x9e3779b97f4a7c15);
	size_t at = mixed >> (64 - map->log2);

	while (map->entries[at].key != 0 && map->entries[at].key != key)
		at = (at + 1) & mask;
	return &map->entries[at];
}

static void resize(struct map *map, unsigned int log2)
{
	struct map old = *map;

	map->log2 = log2;
	map->entries = heap_zeroed((size_t)1 << log2, sizeof(*map->entries));
	if (!old.entries)
		return;
	for (size_t i = 0; i < (size_t)1 << old.log2; i++) {
		if (old.entries[i].key != 0)
			*entry_of(map, old.entries[i].key) = old.entries[i];
	}
	free(old.entries);
}

uint32_t *map_at(struct map *map, uint64_t key)
{
	struct map_entry *entry;

	if (!map->entries)
		resize(map, FIRST_LOG2);
	entry = entry_of(map, key);
	if (entry->key)
		return &entry->value;
	if (++map->used > (size_t)1 << (map->log2 - 1)) {
		resize(map, map->log2 + 1);
		entry = entry_of(map, key);
	}
	entry->key = key;
	return &entry->value;
}

void map_fini(struct map *map)
{
	free(map->entries);
	*map = (struct map){ 0 };
}
