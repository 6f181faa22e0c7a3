/* SPDX-License-Identifier: MIT */
/* Lines of a dump for counts, samples and times. */
#ifndef CLEW_REPORT_DUMP_DUMP_COUNTS_H
#define CLEW_REPORT_DUMP_DUMP_COUNTS_H

#include <stdio.h>

#include "report/recording/part_reader.h"

/*
 * The following functions print a chunk, which must be of the kind that they
 * name.
 */
void dump_samples(FILE *out, const struct part_chunk *chunk);
void dump_histograms(FILE *out, const struct part_chunk *chunk);

/* Prints all tallies of a part with their contexts and times. */
void dump_tallies(FILE *out, const struct part_copy *part);

#endif
