/* SPDX-License-Identifier: MIT */
/*
 * The beginning of a chunk that any thread adds to: the number of slots taken,
 * each by an atomic addition. Each slot contains a flag that it is complete.
 */
#ifndef CLEW_WIRE_SLOTTED_H
#define CLEW_WIRE_SLOTTED_H

#include <stdint.h>

struct wire_slots {
	/*
	 * Requested slots; if more than `room`, the excess found no slot here.
	 */
	_Atomic uint32_t used;
	uint32_t room;
};
_Static_assert(sizeof(struct wire_slots) == 8, "on the wire");

#endif
