/* SPDX-License-Identifier: MIT */
/* See strings.h. */
#include "base/strings.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"

static uint64_t hash_of(const char *text)
{
	return hash_key(hash_add(HASH_START, text, strlen(text)));
}

int strings_has(const struct strings *strings, const char *text)
{
	uint64_t hash = hash_of(text);
	const uint64_t *slot = idmap_find(&strings->by_hash, hash);

	while (slot && strcmp(strings->items[*slot - 1], text) != 0)
		slot = idmap_find(&strings->by_hash, hash += 2);
	return slot != NULL;
}

uint32_t strings_number(struct strings *strings, const char *text)
{
	uint64_t hash = hash_of(text);
	uint64_t *slot = idmap_at(&strings->by_hash, hash);

	while (*slot) {
		if (strcmp(strings->items[*slot - 1], text) == 0)
			return (uint32_t)*slot - 1;
		slot = idmap_at(&strings->by_hash, hash += 2);
	}
	strings->items =
		memory_grow(strings->items, strings->count, &strings->capacity,
			    sizeof(*strings->items));
	strings->items[strings->count] = memory_string(text, strlen(text));
	*slot = ++strings->count;
	return (uint32_t)strings->count - 1;
}

void strings_fini(struct strings *strings)
{
	for (size_t i = 0; i < strings->count; i++)
		free(strings->items[i]);
	free(strings->items);
	idmap_fini(&strings->by_hash);
	*strings = (struct strings){ 0 };
}
