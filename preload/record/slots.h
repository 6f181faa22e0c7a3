/* SPDX-License-Identifier: MIT */
/*
 * Allocates records of one size (slots) in chunks of the recording. Threads
 * take a slot of a chunk by an atomic addition (wire/slotted.h). When a chunk
 * is full, a larger one, up to a maximum, is installed by compare-and-swap.
 * Only the allocation of a chunk takes a lock, with signals blocked; a signal
 * handler may interrupt any other step.
 */
#ifndef CLEW_RECORD_SLOTS_H
#define CLEW_RECORD_SLOTS_H

#include <stddef.h>
#include <stdint.h>

#include "preload/record/part.h"
#include "wire/slotted.h"

struct slot_form {
	enum wire_chunk_kind kind;
	/*
	 * Size of the chunk's head: a struct wire_slots and further data before
	 * the slots.
	 */
	uint32_t head_bytes;
	uint32_t slot_bytes;
	/* number of slots in the first chunk, and maximum in any chunk */
	uint32_t first, most;
	/* maximum number of slots in all lanes of the process */
	uint32_t limit;
};

/* Each lane has its own chunks, so that threads seldom compete for slots. */
struct slot_lane {
	struct wire_slots *_Atomic slots; /* payload of the newest chunk */
};

/* Everything that slots_take() needs. */
struct slot_source {
	struct slot_form form;
	struct slot_lane *lane;
	/* Number of slots in the chunks of all lanes, free ones included. */
	_Atomic uint32_t *given;
	/* NULL, or a function that writes the rest of a new chunk's head. */
	void (*write)(void *context, struct wire_slots *slots);
	void *context;
};

/*
 * Returns the next slot, zeroed. Stores in *before the number of slots that
 * precede it in its chunk. On failure, returns NULL and sets *err to -ENOBUFS
 * beyond the limit, or to -ENOSPC. Any thread may call it, also in signal
 * handlers.
 */
void *slots_take(struct part *part, const struct slot_source *source,
		 uint32_t *before, int *err);

/*
 * Allocates the first chunk in advance, because later there may be no room.
 * Returns 0 or -errno.
 */
int slots_begin(struct part *part, const struct slot_source *source);

#endif
