/* SPDX-License-Identifier: MIT */
/*
 * The beginning of a chunk whose records any thread adds. A thread takes the
 * next slot by an atomic addition to `used`, and sets a flag in the record when
 * the record is complete.
 */
#ifndef CLEW_WIRE_SLOTTED_H
#define CLEW_WIRE_SLOTTED_H

#include <stdint.h>

struct wire_slots {
	/*
	 * Number of slots that threads have requested. If it exceeds `room`,
	 * the other requests got no slot in this chunk.
	 */
	_Atomic uint32_t used;
	uint32_t room;
};
_Static_assert(sizeof(struct wire_slots) == 8, "on the wire");

#endif
