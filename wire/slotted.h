/* SPDX-License-Identifier: MIT */
/*
 * The beginning of a chunk that any thread adds to: the number of slots that were taken
 * in it, each by an atomic addition. A slot says itself when it is filled.
 */
#ifndef CLEW_WIRE_SLOTTED_H
#define CLEW_WIRE_SLOTTED_H

#include <stdint.h>

struct wire_slots {
	/* That were asked for; more than `room` of them found none here. */
	_Atomic uint32_t used;
	uint32_t room;
};
_Static_assert(sizeof(struct wire_slots) == 8, "on the wire");

#endif
