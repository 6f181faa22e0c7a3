/* SPDX-License-Identifier: MIT */
/* The counters in a part's header: whether they can be true. */
#ifndef CLEW_RECORDING_PART_COUNTERS_H
#define CLEW_RECORDING_PART_COUNTERS_H

#include "wire/recording.h"

/*
 * Sets those to 0 that no process can reach, in 2^56 ns two years, and says how
 * many were: they are damaged, and their sums would drown what is true.
 */
unsigned int part_counters_drop(struct wire_header *header);

#endif
