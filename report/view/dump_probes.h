/* SPDX-License-Identifier: MIT */
#ifndef CLEW_VIEW_DUMP_PROBES_H
#define CLEW_VIEW_DUMP_PROBES_H

#include <stdio.h>

#include "report/recording/part_reader.h"

/* What was asked for, and what became of it; nothing of chunks of other kinds. */
void dump_probes(FILE *out, const struct part_chunk *chunk);

#endif
