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
	int was_cut; /* The rest of this line is omitted. */
};

/*
 * Copies the visible part of `bytes` to `out`, which has room for three times
 * as many, and returns its length. If a line is too long, its last column shows
 * `mark`. Escape sequences have no width and are always copied.
 */
size_t cut_bytes(struct cut *cut, const char *bytes, size_t length,
		 const char *mark, char *out);

/*
 * Cuts all lines of stdout at `width` columns, until cut_end() receives the
 * result. Returns NULL if nothing is cut, as with a width of 0.
 */
FILE *cut_begin(int width);
void cut_end(FILE *whole);

#endif
