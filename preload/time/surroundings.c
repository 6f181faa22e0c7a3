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

/*
 * A signal has interrupted the function of a link, and a handler's function is called at a
 * slot, which is on the same stack or maybe on one further out.
 */
static void note_signal(struct surroundings *found, const struct link *link,
			uint64_t handler_at, int is_in_clew)
{
	found->is_handler = 1;
	if (!is_in_clew)
		return;
	if (found->half_way == SURROUNDINGS_NONE)
		found->half_way = found->count;
	found->handlers_until = handler_at < link->at
					? handler_at + sizeof(uint64_t)
					: link->at;
}

/* A handler that has no slot itself is looked for where it has to be, or on request. */
static int next(struct surroundings *found, const struct surroundings_of *of,
		struct walk *walk, struct link *link)
{
	const uint64_t at = link->at;
	int is_handler = walk->is_handler;
	int is_in_clew = walk->is_in_clew;

	if (!walk_next(walk, link)) {
		const int how = walk->has_begun
					? walk_next_interrupted(walk, at, link)
					: 0;

		if (!how)
			return 0;
		is_handler = 1;
		is_in_clew |= how == 2;
	} else if (of->minds_signals &&
		   walk_is_interrupted(walk, at, link->at)) {
		is_handler = is_in_clew = 1;
	}
	if (is_handler)
		note_signal(found, link, at, is_in_clew);
	return 1;
}

struct surroundings surroundings_find(const struct surroundings_of *of,
				      const uint64_t *slot)
{
	struct surroundings found = {
		.id = shadow_of((uintptr_t)slot)->caller_id,
		.half_way = SURROUNDINGS_NONE,
	};
	struct walk walk = walk_from(slot, hot.id);
	struct link link = { .at = (uintptr_t)slot };

	walk_trust_own_stack(&walk, slot);
	if (!walk_next(&walk, &link) || walk.id != found.id) {
		walk = walk_from(slot + 1, found.id);
		walk_trust_own_stack(&walk, slot);
	}
	while (found.count < WIRE_PACKET_FUNCTIONS && walk.id != ID_ROOT &&
	       next(&found, of, &walk, &link)) {
		tell(of, found.count, &link);
		found.count++;
	}
	found.around = walk.id;
	return found;
}

/* Without the function that so many are further in than: what they are called in is another. */
static uint64_t id_without(uint64_t id, const uint32_t *functions, uint32_t at)
{
	for (uint32_t i = 0; i <= at; i++)
		id = id_pop(id, id_key(functions[i]));
	for (uint32_t i = at; i > 0; i--)
		id = id_push(id, id_key(functions[i - 1]));
	return id;
}

void surroundings_leave_out(struct surroundings *found,
			    const struct surroundings_of *of, uint32_t at)
{
	found->id = id_without(found->id, of->functions, at);
	found->count--;
	for (uint32_t i = at; i < found->count; i++)
		of->functions[i] = of->functions[i + 1];
	for (uint32_t i = 2 * at; of->sites && i < 2 * found->count; i++)
		of->sites[i] = of->sites[i + 2];
}
