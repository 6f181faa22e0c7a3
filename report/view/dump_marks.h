/* SPDX-License-Identifier: MIT */
/* The lines of a dump about what a program told of moments and regions. */
#ifndef CLEW_VIEW_DUMP_MARKS_H
#define CLEW_VIEW_DUMP_MARKS_H

#include <stdio.h>

#include "report/recording/part_reader.h"

/* Those of a chunk; none if it is of another kind. */
void dump_marks(FILE *out, const struct part_chunk *chunk);

#endif
