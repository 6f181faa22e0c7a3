/* SPDX-License-Identifier: MIT */
/*
 * Lines of a dump for functions outside of modules: numbers and names,
 * generated code, its makers, and what the JVM has reported.
 */
#ifndef CLEW_REPORT_DUMP_DUMP_RUNTIMES_H
#define CLEW_REPORT_DUMP_DUMP_RUNTIMES_H

#include <stdio.h>

#include "report/recording/part_reader.h"

/* Prints the records of a chunk. Prints nothing for chunks of other kinds. */
void dump_runtimes(FILE *out, const struct part_chunk *chunk);

#endif
