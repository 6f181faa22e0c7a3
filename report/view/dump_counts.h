/* SPDX-License-Identifier: MIT */
/* The lines of a dump about what was counted and measured. */
#ifndef CLEW_VIEW_DUMP_COUNTS_H
#define CLEW_VIEW_DUMP_COUNTS_H

#include <stdio.h>

#include "report/recording/part_reader.h"

/* Of a chunk of that kind. */
void dump_samples(FILE *out, const struct part_chunk *chunk);
void dump_histograms(FILE *out, const struct part_chunk *chunk);

/* All tallies of a part, their contexts, and the times of these. */
void dump_tallies(FILE *out, const struct part_copy *part);

#endif
