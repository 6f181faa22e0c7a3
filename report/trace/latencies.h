/* SPDX-License-Identifier: MIT */
/*
 * How many calls took how long, in little memory: durations are kept to one part in
 * 128, and those below 256 ns exactly.
 */
#ifndef CLEW_TRACE_LATENCIES_H
#define CLEW_TRACE_LATENCIES_H

#include <stdint.h>

enum {
	LATENCY_PART_LOG2 = 7,
	LATENCY_BINS = (64 - LATENCY_PART_LOG2 + 1) << LATENCY_PART_LOG2,
};

/* Zero-initialised, none. */
struct latencies {
	uint64_t bins[LATENCY_BINS];
	uint64_t count, min_ns, max_ns;
	unsigned __int128 sum_ns;
};

void latencies_add(struct latencies *latencies, uint64_t ns);

/*
 * What that share of all, from 0 to 1, has not exceeded: at most one part in 128 too
 * much. 0 if there are none.
 */
uint64_t latencies_quantile(const struct latencies *latencies, double share);

/*
 * How long calls took at least, of which there are not more than `most`: the longest. 0 if
 * all are not more.
 */
uint64_t latencies_longest(const struct latencies *latencies, uint64_t most);

/* How many took from 2^(bit - 1) to 2^bit - 1 ns; bit 0: none. */
uint64_t latencies_octave(const struct latencies *latencies, unsigned int bit);

#endif
