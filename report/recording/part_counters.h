/* SPDX-License-Identifier: MIT */
/* Plausibility check of the counters in a part's header. */
#ifndef CLEW_RECORDING_PART_COUNTERS_H
#define CLEW_RECORDING_PART_COUNTERS_H

#include "wire/recording.h"

/*
 * Sets counters to 0 that no process can reach, such as 2^56 ns (two years),
 * and returns their number. Damaged counters would dominate all sums.
 */
unsigned int part_counters_drop(struct wire_header *header);

#endif
