/* SPDX-License-Identifier: MIT */
/*
 * What probes at the entries of functions keep of a hit, as values of the call, in packets
 * (wire/packet.h): when the call is made, and again at the beginning of each context that it
 * is in. So a thread remembers them as long as the call runs, by its stack slot.
 *
 * Any thread, signal handlers and probes, except where it says otherwise.
 */
#ifndef CLEW_TIME_CALL_VALUES_H
#define CLEW_TIME_CALL_VALUES_H

#include <stddef.h>
#include <stdint.h>

#include "wire/user_probe.h"

#define CALL_VALUES_BYTES 232 /* of a hit; where there are more, none is kept */

/* One value of a probe's event: a number, or a string of so many bytes at most. */
struct call_value {
	uint16_t offset;
	uint16_t string_bytes; /* 0: a number */
};

/*
 * What the events of a probe at functions' entries have: before its code is reached. Too
 * much, or no trace: nothing is kept of its hits. With the turn to make patches.
 */
void call_values_describe(uint32_t probe, const struct call_value *values,
			  uint32_t count, uint32_t event_bytes);

/*
 * A hit at the entry of the function whose stack slot that is: room for its event, of which
 * values and `failed` are to be written. NULL: it is not to be kept, also where the calls of
 * the function are not written down. Then call_values_end().
 */
struct wire_probe_event *call_values_begin(uint64_t slot, uint32_t probe);
/* Returns whether it is kept: then the event stays as it is while the call runs. */
int call_values_end(struct wire_probe_event *event);

/* A hit at that slot keeps nothing: nor does the call. */
void call_values_forget(uint64_t slot);

/* Bytes that a packet must have left behind a call's words for what its hit keeps. */
uint64_t call_values_room(void);

/*
 * Bytes for what is known of the calls around one that is made at a slot: at most as many as
 * a new packet has room for.
 */
uint64_t call_values_bytes(const uint64_t *slot);

/*
 * Writes that down behind their context, whose innermost function has that place above that
 * base, unless a handler has moved the window since. Of the
 * calls around the slot the one that `left_out` are further in than is not in the context,
 * if it is not SURROUNDINGS_NONE.
 */
void call_values_put_around(const uint64_t *slot, uint64_t base, uint32_t place,
			    uint32_t left_out);

#endif
