/* SPDX-License-Identifier: MIT */
/* Checks whether the counters in a part's header are plausible. */
#ifndef CLEW_RECORDING_PART_COUNTERS_H
#define CLEW_RECORDING_PART_COUNTERS_H

#include "wire/recording.h"

/*
 * Sets counters to 0 whose values no process can reach (2^56, as nanoseconds
 * two years), because such a damaged counter would make all sums useless.
 * Returns the number of these counters.
 */
unsigned int part_counters_drop(struct wire_header *header);

#endif
