/* SPDX-License-Identifier: MIT */
/* Lines of a dump for the records of `clew import` (wire/imported.h). */
#ifndef CLEW_REPORT_DUMP_DUMP_IMPORTED_H
#define CLEW_REPORT_DUMP_DUMP_IMPORTED_H

#include <stdio.h>

#include "report/recording/part_reader.h"

/* Prints a line for each record. Prints nothing for chunks of other kinds. */
void dump_imported(FILE *out, const struct part_chunk *chunk);

#endif
