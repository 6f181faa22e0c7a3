/* SPDX-License-Identifier: MIT */
#include "preload/time/surroundings.h"

#include "preload/hot/shadow.h"
#include "preload/hot/thread.h"
#include "preload/stack/walk.h"
#include "wire/id.h"
#include "wire/packet.h"

struct surroundings surroundings_find(uint32_t *words, const uint64_t *slot)
{
	struct surroundings found = {
		.id = shadow_of((uintptr_t)slot)->caller_id,
	};
	struct walk walk = walk_from(slot, hot.id);
	struct link link;

	walk_trust_own_stack(&walk, slot);
	if (!walk_next(&walk, &link) || walk.id != found.id) {
		walk = walk_from(slot + 1, found.id);
		walk_trust_own_stack(&walk, slot);
	}
	found.is_handler = walk.is_handler != 0;
	while (found.count < WIRE_PACKET_FUNCTIONS && walk.id != ID_ROOT &&
	       walk_next(&walk, &link)) {
		if (words)
			words[found.count] = link.function;
		found.count++;
		found.is_handler |= walk.is_handler != 0;
	}
	found.is_whole = walk.id == ID_ROOT;
	return found;
}

void surroundings_leave_out_innermost(struct surroundings *found,
				      uint32_t *words)
{
	found->id = id_pop(found->id, id_key(words[0]));
	found->count--;
	for (uint32_t i = 0; i < found->count; i++)
		words[i] = words[i + 1];
}
