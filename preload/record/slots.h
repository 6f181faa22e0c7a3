/* SPDX-License-Identifier: MIT */
/*
 * Slots of one size in the recording. Threads take slots of a chunk by an
 * atomic addition (wire/slotted.h). A full chunk is followed by a larger one,
 * which compare-and-swap installs. No thread waits, and a handler may interrupt
 * any step.
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
	uint32_t first, most; /* slots of the first chunk, and of any chunk */
	uint32_t limit;       /* slots of the process, in all lanes */
};

/* Each lane has its own chunks, so that threads seldom compete for slots. */
struct slot_lane {
	struct wire_slots *_Atomic slots; /* payload of the newest chunk */
};

/* The source of slots. */
struct slot_source {
	struct slot_form form;
	struct slot_lane *lane;
	/* Number of slots taken by threads, in all lanes. */
	_Atomic uint32_t *given;
	/* Writes the rest of a new chunk's head; or NULL. */
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
 * Allocates a first chunk, since later there may be no room. Returns 0 or
 * -errno.
 */
int slots_begin(struct part *part, const struct slot_source *source);

#endif
