/* SPDX-License-Identifier: MIT */
/*
 * The flat table by source lines or addresses, from the addresses of samples.
 */
#ifndef CLEW_VIEW_FLAT_LINES_H
#define CLEW_VIEW_FLAT_LINES_H

#include "report/view/flat.h"

/*
 * Creates one row for each line, named "FILE:LINE in FUNCTION", where FUNCTION
 * is the innermost inlined one. Code without line information gets one row for
 * each function. Rows have no calls, and their total is their own time. Free
 * with flat_fini().
 */
void flat_init_lines(struct flat *flat, const struct tree *tree,
		     struct catalog *catalog);

/*
 * Does the same for each address, named "MODULE+0xVADDR in FUNCTION+0xOFFSET,
 * FILE:LINE" as far as known. Sets the `site` of these rows. Code that a
 * runtime announced gets one row for each function.
 */
void flat_init_addresses(struct flat *flat, const struct tree *tree,
			 struct catalog *catalog);

#endif
