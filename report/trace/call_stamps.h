/* SPDX-License-Identifier: MIT */
/*
 * Times of the calls of a packet.
 *
 * Some calls have a time stamp, which was taken next to the call. Calls between
 * two stamps are assumed to be evenly spaced. That is an estimate and reported
 * as one, but the order and the bounds are certain. After the last stamp only a
 * lower bound is known.
 */
#ifndef CLEW_TRACE_CALL_STAMPS_H
#define CLEW_TRACE_CALL_STAMPS_H

#include <stddef.h>
#include <stdint.h>

#include "report/recording/trace_reader.h"

/* Precision of a time. */
enum call_clock {
	CLOCK_STAMPED,
	/*
	 * computed from the stamps before and after, or that of the next stamp
	 * if there is none before
	 */
	CLOCK_INTERPOLATED,
	/* the call is after the last stamp, whose time is used */
	CLOCK_NOT_BEFORE,
};

/*
 * A stamp's place: calls have odd places 1, 3 and so on; gaps between calls
 * have even ones.
 */
struct call_stamp {
	uint64_t place;
	uint64_t tsc;
};

/*
 * The caller sets all members to 0 before use, and calls call_stamps_fini()
 * afterwards.
 */
struct call_stamps {
	struct call_stamp *items; /* sorted by place, then by time */
	size_t count, capacity;
	size_t at; /* first stamp after all requested calls */
};

/*
 * Reads the stamps of all calls in these words. `next` is the next packet, or
 * NULL.
 */
void call_stamps_read(struct call_stamps *stamps, const uint32_t *words,
		      size_t count, const struct packet_blocks *blocks,
		      const struct trace_packet *next);
void call_stamps_fini(struct call_stamps *stamps);

/*
 * Returns the time of a call, 0 without any stamp. Request calls in ascending
 * order.
 */
uint64_t call_stamps_tsc(struct call_stamps *stamps, uint32_t call,
			 enum call_clock *clock);

#endif
