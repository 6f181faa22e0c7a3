/* SPDX-License-Identifier: MIT */
/*
 * Converts time stamps of a part to nanoseconds, by its header's two moments.
 */
#ifndef CLEW_MODEL_CLOCK_H
#define CLEW_MODEL_CLOCK_H

#include "wire/recording.h"

struct clock {
	uint64_t first_tsc;
	/* number of ticks that passed in `ns`; 0 if it is unknown */
	uint64_t ticks;
	uint64_t ns;
	uint64_t start_ns; /* CLOCK_REALTIME at first_tsc */
	uint64_t first_ns; /* CLOCK_MONOTONIC at first_tsc */
};

void clock_init(struct clock *clock, const struct wire_header *header);

/*
 * Converts time stamps like `anchor`, the clock of another part, so that events
 * of both parts stay in order. Does nothing if the clocks differ by more than 1
 * ms, as those of different machines or boots do, or if the anchor's rate is
 * unknown.
 */
void clock_align(struct clock *clock, const struct clock *anchor);

/*
 * Converts a number of ticks to nanoseconds. Returns 0 if the rate is unknown.
 */
uint64_t clock_ns(const struct clock *clock, uint64_t ticks);

/*
 * Returns CLOCK_REALTIME at a time stamp. Returns the time of the first moment
 * for earlier stamps, or if the rate is unknown.
 */
uint64_t clock_time_ns(const struct clock *clock, uint64_t tsc);

/* Returns CLOCK_MONOTONIC at a time stamp, limited like clock_time_ns(). */
uint64_t clock_monotonic_ns(const struct clock *clock, uint64_t tsc);

/*
 * Returns the time stamp at a CLOCK_REALTIME, at least that of the first
 * moment. 0 if the rate is unknown.
 */
uint64_t clock_tsc(const struct clock *clock, uint64_t time_ns);

#endif
