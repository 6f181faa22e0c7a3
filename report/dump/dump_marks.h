/* SPDX-License-Identifier: MIT */
/* Lines of a dump for moments and regions that a program marked. */
#ifndef CLEW_REPORT_DUMP_DUMP_MARKS_H
#define CLEW_REPORT_DUMP_DUMP_MARKS_H

#include <stdio.h>

#include "report/recording/part_reader.h"

/* Prints the records of a chunk. Prints nothing for chunks of other kinds. */
void dump_marks(FILE *out, const struct part_chunk *chunk);

#endif
