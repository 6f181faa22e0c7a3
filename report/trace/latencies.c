/* SPDX-License-Identifier: MIT */
/* See latencies.h. */
#include "report/trace/latencies.h"

enum { PARTS = 1 << LATENCY_PART_LOG2 };

/* Returns the number of significant bits. */
static unsigned int width_of(uint64_t ns)
{
	return ns ? 64 - (unsigned int)__builtin_clzll(ns) : 0;
}

/*
 * Numbers of up to eight bits have exact bins. Longer ones are binned by their
 * eight highest bits.
 */
static unsigned int bin_of(uint64_t ns)
{
	const unsigned int width = width_of(ns);
	const unsigned int shift = width > LATENCY_PART_LOG2 + 1
					   ? width - (LATENCY_PART_LOG2 + 1)
					   : 0;

	return shift * PARTS + (unsigned int)(ns >> shift);
}

/* Returns the greatest number of a bin. */
static uint64_t greatest_of(unsigned int bin)
{
	const unsigned int shift = bin < 2 * PARTS ? 0 : bin / PARTS - 1;
	const uint64_t high = bin - shift * PARTS;

	return ((high + 1) << shift) - 1;
}

void latencies_add(struct latencies *latencies, uint64_t ns)
{
	latencies->bins[bin_of(ns)]++;
	if (latencies->count == 0 || ns < latencies->min_ns)
		latencies->min_ns = ns;
	if (ns > latencies->max_ns)
		latencies->max_ns = ns;
	latencies->count++;
	latencies->sum_ns += ns;
}

uint64_t latencies_quantile(const struct latencies *latencies, double share)
{
	const double wanted = share * (double)latencies->count;
	uint64_t seen = 0;

	for (unsigned int bin = 0; bin < LATENCY_BINS; bin++) {
		seen += latencies->bins[bin];
		if (latencies->bins[bin] && (double)seen >= wanted)
			return greatest_of(bin) < latencies->max_ns
				       ? greatest_of(bin)
				       : latencies->max_ns;
	}
	return latencies->max_ns;
}

uint64_t latencies_longest(const struct latencies *latencies, uint64_t most)
{
	uint64_t seen = 0;

	for (unsigned int bin = LATENCY_BINS; bin-- > 0;) {
		seen += latencies->bins[bin];
		if (seen > most)
			return greatest_of(bin) + 1;
	}
	return 0;
}

uint64_t latencies_octave(const struct latencies *latencies, unsigned int bit)
{
	uint64_t count = 0;

	for (unsigned int bin = 0; bin < LATENCY_BINS; bin++)
		if (width_of(greatest_of(bin)) == bit)
			count += latencies->bins[bin];
	return count;
}
