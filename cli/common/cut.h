/* SPDX-License-Identifier: MIT */
/* Cuts lines at the width of a terminal. */
#ifndef CLEW_CLI_COMMON_CUT_H
#define CLEW_CLI_COMMON_CUT_H

#include <stddef.h>
#include <stdio.h>

/* State of the line that is being written. */
struct cut {
	int width; /* Width of the terminal, > 0. */
	int column;
	int in_escape;
	/* The mark is written; what follows in this line is omitted. */
	int was_cut;
};

/*
 * Copies the visible part of `bytes` to `out`, which has room for three times
 * as many, and returns its length. If a line reaches the last column, that
 * column shows `mark`. Escape sequences have no width and are always copied.
 */
size_t cut_bytes(struct cut *cut, const char *bytes, size_t length,
		 const char *mark, char *out);

/*
 * Cuts all lines of stdout at `width` columns. Returns the former stdout, which
 * cut_end() restores; NULL if nothing is cut, as with a width of 0.
 */
FILE *cut_begin(int width);
void cut_end(FILE *whole);

#endif
