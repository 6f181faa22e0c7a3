/* SPDX-License-Identifier: MIT */
/*
 * A histogram of durations in little memory, with a precision of one part in
 * 128. Durations below 256 ns are exact.
 */
#ifndef CLEW_TRACE_LATENCIES_H
#define CLEW_TRACE_LATENCIES_H

#include <stdint.h>

enum {
	LATENCY_PART_LOG2 = 7,
	LATENCY_BINS = (64 - LATENCY_PART_LOG2 + 1) << LATENCY_PART_LOG2,
};

/* A distribution of durations. All members are 0 if it is empty. */
struct latencies {
	uint64_t bins[LATENCY_BINS];
	uint64_t count, min_ns, max_ns;
	unsigned __int128 sum_ns;
};

void latencies_add(struct latencies *latencies, uint64_t ns);

/*
 * Returns the duration that a share of all calls, from 0 to 1, does not exceed.
 * The result is at most one part in 128 too large; 0 without calls.
 */
uint64_t latencies_quantile(const struct latencies *latencies, double share);

/*
 * Returns the smallest duration for which at most `most` calls take at least
 * that long, within the histogram's precision. 0 if there are no more than
 * `most` calls.
 */
uint64_t latencies_longest(const struct latencies *latencies, uint64_t most);

/*
 * Returns how many calls took 2^(bit - 1) to 2^bit - 1 ns. Bit 0: durations of
 * 0.
 */
uint64_t latencies_octave(const struct latencies *latencies, unsigned int bit);

#endif
