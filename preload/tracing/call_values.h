/* SPDX-License-Identifier: MIT */
/*
 * Values that probes at functions' entries record as values of the call, in
 * packets (wire/packet.h): when the call is made, and again at the beginning of
 * each context that contains it, if they fit there. Therefore a thread
 * remembers the values by stack slot while the call runs.
 *
 * Any thread, signal handler and probe may call these functions, unless a
 * comment says otherwise.
 */
#ifndef CLEW_TRACING_CALL_VALUES_H
#define CLEW_TRACING_CALL_VALUES_H

#include <stddef.h>
#include <stdint.h>

#include "preload/hot/tally.h"
#include "wire/user_probe.h"

/* The largest event; values of larger events are not recorded. */
#define CALL_VALUES_BYTES 232

/* One value of a probe's event: a number, or a string up to this length. */
struct call_value {
	uint16_t offset;
	uint16_t string_bytes; /* 0 if the value is a number */
};

/*
 * Describes the events of a probe at functions' entries, before a thread can
 * reach the probe. If events are too large, or there is no trace, no values are
 * recorded. Called by the holder of the turn to make patches.
 */
void call_values_describe(uint32_t probe, const struct call_value *values,
			  uint32_t count, uint32_t event_bytes);

/* Forgets all descriptions, before a session begins. */
void call_values_forget_probes(void);

/* Unmaps the stored values of a tally whose session has ended. */
void call_values_unmap(struct tally *tally);

/*
 * Begins a hit at the entry of the function with this slot. Returns an event
 * whose values and `failed` the caller fills before call_values_end(). Returns
 * NULL if the values of the hit are not recorded, for example because calls of
 * the function are not recorded.
 */
struct wire_probe_event *call_values_begin(uint64_t slot, uint32_t probe);
/*
 * Ends a hit and writes its values. Returns whether they are written: the event
 * then stays unchanged while the call runs.
 */
int call_values_end(struct wire_probe_event *event);

/* Forgets the values of the call at a slot. */
void call_values_forget(uint64_t slot);

/*
 * Returns how many bytes must be free in a packet behind a call's words, so
 * that the values of one event fit.
 */
uint64_t call_values_room(void);

/*
 * Returns the size of the values of the calls outside of a slot, in bytes, at
 * most as many as fit into a new packet.
 */
uint64_t call_values_bytes(const uint64_t *slot);

/*
 * Writes the values of the calls outside of a slot, as many as fit, behind the
 * context of these calls, unless a signal handler has moved the stack window
 * (trace_window.h) since. `place` is the distance of the slot of the context's
 * innermost function from `base`, in slots. The context does not contain
 * `left_out_count` calls from the position `left_out` on, counted from the
 * innermost function: surroundings.leaving_count and .leaving (surroundings.h).
 */
void call_values_put_around(const uint64_t *slot, uint64_t base, uint32_t place,
			    uint32_t left_out, uint32_t left_out_count);

#endif
