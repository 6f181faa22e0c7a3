/* SPDX-License-Identifier: MIT */
/*
 * Prints the records of a part, one line each: "KIND key=value ...", for grep
 * and for authors of other readers. Strings are last on their line.
 */
#ifndef CLEW_REPORT_DUMP_DUMP_H
#define CLEW_REPORT_DUMP_DUMP_H

#include <stdio.h>

#include "report/recording/part_reader.h"

void dump_part(FILE *out, const struct part_copy *part, int with_functions);

#endif
