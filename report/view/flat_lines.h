/* SPDX-License-Identifier: MIT */
/* The flat table by source lines: where in the code the samples fell. */
#ifndef CLEW_VIEW_FLAT_LINES_H
#define CLEW_VIEW_FLAT_LINES_H

#include "report/view/flat.h"

/*
 * One row for each line, named "FILE:LINE in FUNCTION", the function being the
 * innermost inlined one; where debug information knows no line, one for each
 * function. Rows have own time only. flat_fini() it.
 */
void flat_init_lines(struct flat *flat, const struct tree *tree,
		     struct catalog *catalog);

#endif
