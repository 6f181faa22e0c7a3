/* SPDX-License-Identifier: MIT */
/* Computes the sums of one part, for short reports. */
#ifndef CLEW_MERGE_PART_TOTALS_H
#define CLEW_MERGE_PART_TOTALS_H

#include <stdint.h>

#include "report/recording/part_reader.h"

struct part_totals {
	uint64_t calls, contexts;
	uint64_t lost;   /* calls that were made but not counted */
	uint64_t folded; /* calls that are counted in no context of their own */
	uint64_t hooks;  /* hooked functions of modules that are still loaded */
};

void part_totals_init(struct part_totals *totals, const struct part_copy *part);

#endif
