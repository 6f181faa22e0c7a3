/* SPDX-License-Identifier: MIT */
/* What a worker reads for an answer: variables.h. */
#ifndef CLEW_SYMBOLIZER_VARIABLES_VARIABLE_READER_H
#define CLEW_SYMBOLIZER_VARIABLES_VARIABLE_READER_H

#include "symbolizer/variables/variables.h"

/* Writes the answer to fd: 0 or -errno. Ends the process when out of memory. */
int variable_reader_run(const struct variables_request *request, int fd);

#endif
