/* SPDX-License-Identifier: MIT */
/* The lines of a dump about what agents counted. */
#ifndef CLEW_VIEW_DUMP_VALUES_H
#define CLEW_VIEW_DUMP_VALUES_H

#include <stdio.h>

#include "report/recording/part_reader.h"

/* Those of a chunk; none if it is of another kind. */
void dump_values(FILE *out, const struct part_chunk *chunk);

#endif
