/* SPDX-License-Identifier: MIT */
/* See slots.h. */
#include "preload/record/slots.h"

#include <errno.h>
#include <stdatomic.h>

#define TRIES_MAX 4

/* Appends a chunk behind the full one. Returns 0 or -errno. */
static int extend(struct part *part, const struct slot_source *source,
		  struct wire_slots *full)
{
	const struct slot_form *form = &source->form;
	uint32_t room = full ? full->room * 4 : form->first;
	struct wire_slots *slots;
	struct chunk chunk;
	uint64_t bytes;

	if (room > form->most)
		room = form->most;
	bytes = form->head_bytes + (uint64_t)room * form->slot_bytes;
	if (atomic_fetch_add(source->given, room) + room > form->limit) {
		atomic_fetch_sub(source->given, room);
		return -ENOBUFS;
	}
	if (part_alloc(part, form->kind, 0, bytes, &chunk) != 0) {
		atomic_fetch_sub(source->given, room);
		return -ENOSPC;
	}
	slots = chunk_payload(&chunk);
	slots->room = room;
	if (source->write)
		source->write(source->context, slots);
	atomic_store_explicit(&chunk.head->used, bytes, memory_order_release);
	if (!atomic_compare_exchange_strong(&source->lane->slots, &full,
					    slots)) {
		part_free(part, &chunk);
		atomic_fetch_sub(source->given, room);
	}
	return 0;
}

void *slots_take(struct part *part, const struct slot_source *source,
		 uint32_t *before, int *err)
{
	const struct slot_form *form = &source->form;

	*err = 0;
	for (int i = 0; i < TRIES_MAX && !*err; i++) {
		struct wire_slots *slots = atomic_load_explicit(
			&source->lane->slots, memory_order_acquire);

		/* The counter of a full chunk must not grow for ever. */
		if (slots &&
		    atomic_load_explicit(&slots->used, memory_order_relaxed) <
			    slots->room) {
			*before = atomic_fetch_add_explicit(
				&slots->used, 1, memory_order_relaxed);
			if (*before < slots->room)
				return (unsigned char *)slots +
				       form->head_bytes +
				       (uint64_t)*before * form->slot_bytes;
		}
		*err = extend(part, source, slots);
	}
	if (!*err)
		*err = -ENOSPC;
	return NULL;
}

int slots_begin(struct part *part, const struct slot_source *source)
{
	return atomic_load(&source->lane->slots) ? 0
						 : extend(part, source, NULL);
}
