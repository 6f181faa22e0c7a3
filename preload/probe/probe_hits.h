/* SPDX-License-Identifier: MIT */
/*
 * Counts the hits of the user's probes by context. The counts are values of
 * contexts named after the probes, p1, p2, ... (wire/context_values.h).
 */
#ifndef CLEW_PROBE_PROBE_HITS_H
#define CLEW_PROBE_PROBE_HITS_H

#include <stdint.h>

/*
 * Allocates the list of contexts and creates the table of counts, before the
 * first probe is written. Returns 0 or -ENOMEM.
 */
int probe_hits_begin(void);

/* Counts one hit of a probe in the thread's present context. */
void probe_count_here(uint64_t probe);

/*
 * Counts one hit of a probe, whose code is at `at` (stubs/probe.h), in the
 * context of the calling thread. If the probe is in a leaf (lookup/leaf_ids.h),
 * that is the context of the leaf. The first two arguments are not used.
 */
void probe_count(uint64_t first, uint64_t stack, uint64_t probe,
		 const uint8_t *at);

#endif
