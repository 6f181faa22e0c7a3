/* SPDX-License-Identifier: MIT */
/*
 * Slots of one size in the recording, taken by whoever has something to tell: in chunks,
 * each by an atomic addition (wire/slotted.h). A full chunk is followed by a larger one,
 * placed by compare-and-swap. Nobody waits, and a handler may interrupt any of it.
 */
#ifndef CLEW_RECORD_SLOTS_H
#define CLEW_RECORD_SLOTS_H

#include <stddef.h>
#include <stdint.h>

#include "preload/record/part.h"
#include "wire/slotted.h"

struct slot_form {
	enum wire_chunk_kind kind;
	uint32_t
		head_bytes; /* a struct wire_slots, and what else is in front */
	uint32_t slot_bytes;
	uint32_t first, most; /* slots of the first chunk, and of one */
	uint32_t limit;       /* slots of a process, in all lanes */
};

/* Threads that seldom meet take their slots in lanes of their own. */
struct slot_lane {
	struct wire_slots *_Atomic slots; /* payload of the newest chunk */
};

/* From where slots are taken. */
struct slot_source {
	struct slot_form form;
	struct slot_lane *lane;
	_Atomic uint32_t *given; /* slots, in all lanes */
	/* Writes what is in a new chunk behind its struct wire_slots; or NULL. */
	void (*write)(void *context, struct wire_slots *slots);
	void *context;
};

/*
 * The next slot, of zeros, and how many are before it in its chunk; or NULL and *err:
 * -ENOBUFS beyond the limit, or -ENOSPC. Any thread, signals.
 */
void *slots_take(struct part *part, const struct slot_source *source,
		 uint32_t *before, int *err);

/* See to it that there is a chunk: later there may be none to be had. 0 or -errno. */
int slots_begin(struct part *part, const struct slot_source *source);

#endif
