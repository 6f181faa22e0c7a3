/* SPDX-License-Identifier: MIT */
/*
 * When the calls of a packet were made.
 *
 * A few of them have a stamp, which was taken beside the call. Between two stamps
 * calls are taken to be equally far from each other: that is an estimate, and said
 * to be one, but their order is certain, and so are the bounds. Behind the last
 * stamp of all nothing is known but that it was not before.
 */
#ifndef CLEW_TRACE_CALL_STAMPS_H
#define CLEW_TRACE_CALL_STAMPS_H

#include <stddef.h>
#include <stdint.h>

#include "report/recording/trace_reader.h"

/* How well a moment is known. */
enum call_clock {
	CLOCK_STAMPED,
	CLOCK_INTERPOLATED, /* between two stamps */
	CLOCK_NOT_BEFORE,   /* it is that of the last stamp */
};

/* Calls of a packet have odd places, 1 and so on; what is between two an even one. */
struct call_stamp {
	uint64_t place;
	uint64_t tsc;
};

/* Zero-initialise before use; call_stamps_fini() it. */
struct call_stamps {
	struct call_stamp *items; /* by place, then by time */
	size_t count, capacity;
	size_t at; /* the first behind all calls that were asked for */
};

/* Of all calls in those words. `next` is the packet behind, if there is one. */
void call_stamps_read(struct call_stamps *stamps, const uint32_t *words,
		      size_t count, const struct packet_blocks *blocks,
		      const struct trace_packet *next);
void call_stamps_fini(struct call_stamps *stamps);

/* When a call was made: 0 if there is no stamp at all. To be asked in order. */
uint64_t call_stamps_tsc(struct call_stamps *stamps, uint32_t call,
			 enum call_clock *clock);

#endif
