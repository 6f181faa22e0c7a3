/* SPDX-License-Identifier: MIT */
/* Reads debug information for an answer, in a worker: see variables.h. */
#ifndef CLEW_SYMBOLIZER_VARIABLES_VARIABLE_READER_H
#define CLEW_SYMBOLIZER_VARIABLES_VARIABLE_READER_H

#include "symbolizer/variables/variables.h"

/*
 * Writes the answer to fd. Returns 0 or -errno. Ends the process when out of
 * memory.
 */
int variable_reader_run(const struct variables_request *request, int fd);

#endif
