/* SPDX-License-Identifier: MIT */
/*
 * The lines of a dump about functions that no module has: their numbers and
 * names, generated code, who makes it, and what Java's machine has told.
 */
#ifndef CLEW_VIEW_DUMP_TOLD_H
#define CLEW_VIEW_DUMP_TOLD_H

#include <stdio.h>

#include "report/recording/part_reader.h"

/* Those of a chunk; none if it is of another kind. */
void dump_told(FILE *out, const struct part_chunk *chunk);

#endif
