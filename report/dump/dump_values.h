/* SPDX-License-Identifier: MIT */
/* Lines of a dump for values that agents counted. */
#ifndef CLEW_REPORT_DUMP_DUMP_VALUES_H
#define CLEW_REPORT_DUMP_DUMP_VALUES_H

#include <stdio.h>

#include "report/recording/part_reader.h"

/* Prints the values of a chunk. Prints nothing for chunks of other kinds. */
void dump_values(FILE *out, const struct part_chunk *chunk);

#endif
