/* SPDX-License-Identifier: MIT */
#include "preload/time/surroundings.h"

#include "preload/hot/shadow.h"
#include "preload/hot/thread.h"
#include "preload/stack/walk.h"
#include "wire/id.h"
#include "wire/packet.h"

static void tell(const struct surroundings_of *of, uint32_t at,
		 const struct link *link)
{
	if (of->tell)
		of->tell(of->context, at, link);
	if (of->functions)
		of->functions[at] = link->function;
	if (of->sites) {
		const uint64_t site = link->shadow->return_address;

		of->sites[2 * at] = (uint32_t)site;
		of->sites[2 * at + 1] = (uint32_t)(site >> 32);
	}
}

struct surroundings surroundings_find(const struct surroundings_of *of,
				      const uint64_t *slot)
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
		tell(of, found.count, &link);
		found.count++;
		found.is_handler |= walk.is_handler != 0;
	}
	found.is_whole = walk.id == ID_ROOT;
	return found;
}

void surroundings_leave_out_innermost(struct surroundings *found,
				      const struct surroundings_of *of)
{
	found->id = id_pop(found->id, id_key(of->functions[0]));
	found->count--;
	for (uint32_t i = 0; i < found->count; i++)
		of->functions[i] = of->functions[i + 1];
	for (uint32_t i = 0; of->sites && i < 2 * found->count; i++)
		of->sites[i] = of->sites[i + 2];
}
