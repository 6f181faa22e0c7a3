/* SPDX-License-Identifier: MIT */
/*
 * What the user's probes do when they are hit: count by context, as values of contexts
 * by the name of the probe, p1, p2, ... (wire/context_values.h).
 */
#ifndef CLEW_PROBE_PROBE_HITS_H
#define CLEW_PROBE_PROBE_HITS_H

#include <stdint.h>

/* Before the first probe is written; then there is room for all. 0 or -ENOMEM. */
int probe_hits_begin(void);

/* Count one more of a probe where the thread is, */
void probe_count_here(uint64_t probe);

/* ... or in the leaf that `at`, the probe (stubs/probe.h), is in. The first two are not used. */
void probe_count(uint64_t first, uint64_t stack, uint64_t probe,
		 const uint8_t *at);

#endif
