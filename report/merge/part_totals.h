/* SPDX-License-Identifier: MIT */
/* How much one part has counted: what can be said of it at a glance. */
#ifndef CLEW_MERGE_PART_TOTALS_H
#define CLEW_MERGE_PART_TOTALS_H

#include <stdint.h>

#include "report/recording/part_reader.h"

struct part_totals {
	uint64_t calls, contexts;
	uint64_t lost;   /* calls that were made, and not counted */
	uint64_t folded; /* calls that count in no context of their own */
	uint64_t hooks;  /* functions, of modules that are there still */
};

void part_totals_init(struct part_totals *totals, const struct part_copy *part);

#endif
