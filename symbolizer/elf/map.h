/* SPDX-License-Identifier: MIT */
/* A map of the worker from 64-bit keys (never 0) to 32-bit values. */
#ifndef CLEW_SYMBOLIZER_ELF_MAP_H
#define CLEW_SYMBOLIZER_ELF_MAP_H

#include <stddef.h>
#include <stdint.h>

struct map_entry {
	uint64_t key; /* 0 if the entry is empty */
	uint32_t value;
	uint32_t pad;
};

/* The caller sets all members to 0 before use. */
struct map {
	struct map_entry *entries;
	size_t used;
	unsigned int log2; /* log2 of the number of entries */
};

/*
 * Returns a pointer to the value of a key, which is valid until the next call.
 * A key that is not in the map is added with the value 0.
 */
uint32_t *map_at(struct map *map, uint64_t key);
void map_fini(struct map *map);

#endif
