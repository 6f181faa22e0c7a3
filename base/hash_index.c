/* SPDX-License-Identifier: MIT */
/* See hash_index.h. */
#include "base/hash_index.h"

#include <stdlib.h>

#include "base/memory.h"

enum { FIRST_LOG2 = 6, LAST_LOG2 = 32 };

static void resize(struct hash_index *index, unsigned int log2)
{
	const struct hash_index old = *index;

	index->log2 = log2;
	index->slots = memory_large((size_t)1 << log2, sizeof(*index->slots));
	for (size_t i = 0; old.slots && i < (size_t)1 << old.log2; i++) {
		const struct hash_slot *slot = &old.slots[i];
		struct hash_slot *at;

		if (!slot->item)
			continue;
		at = hash_index_first(index, slot->hash);
		while (at->item)
			at = hash_index_next(index, slot->hash, at);
		*at = *slot;
	}
	free(old.slots);
}

void hash_index_enlarge(struct hash_index *index, size_t count)
{
	unsigned int log2 = FIRST_LOG2;

	while (hash_index_room(log2) < count)
		log2++;
	if (log2 > LAST_LOG2)
		memory_exhausted();
	resize(index, log2);
}

void hash_index_fini(struct hash_index *index)
{
	free(index->slots);
	*index = (struct hash_index){ 0 };
}
