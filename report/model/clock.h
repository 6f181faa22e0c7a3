/* SPDX-License-Identifier: MIT */
/* From time stamps to nanoseconds, by the two moments that a part has. */
#ifndef CLEW_MODEL_CLOCK_H
#define CLEW_MODEL_CLOCK_H

#include "wire/recording.h"

struct clock {
	uint64_t first_tsc;
	uint64_t ticks; /* that passed in `ns`; 0: nobody knows */
	uint64_t ns;
	uint64_t start_ns; /* CLOCK_REALTIME at first_tsc */
	uint64_t first_ns; /* CLOCK_MONOTONIC, likewise */
};

void clock_init(struct clock *clock, const struct wire_header *header);

/*
 * Converts time stamps as `anchor` does, the clock of another part, so that the
 * events of both parts keep their order. Does nothing if the parts are of
 * different machines or boots: their clocks then disagree by more than 1 ms.
 */
void clock_align(struct clock *clock, const struct clock *anchor);

/* How long so many ticks are. 0 where that cannot be known. */
uint64_t clock_ns(const struct clock *clock, uint64_t ticks);

/* CLOCK_REALTIME of a time stamp; none is before the first moment. */
uint64_t clock_time_ns(const struct clock *clock, uint64_t tsc);

/* The same by CLOCK_MONOTONIC. */
uint64_t clock_monotonic_ns(const struct clock *clock, uint64_t tsc);

/* The time stamp at a CLOCK_REALTIME. 0 where that cannot be known. */
uint64_t clock_tsc(const struct clock *clock, uint64_t time_ns);

#endif
