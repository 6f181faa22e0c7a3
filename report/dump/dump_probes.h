/* SPDX-License-Identifier: MIT */
#ifndef CLEW_REPORT_DUMP_DUMP_PROBES_H
#define CLEW_REPORT_DUMP_DUMP_PROBES_H

#include <stdio.h>

#include "report/recording/part_reader.h"

/*
 * Prints the user's probes, their locations and hits. Prints nothing for chunks
 * of other kinds.
 */
void dump_probes(FILE *out, const struct part_chunk *chunk);

#endif
