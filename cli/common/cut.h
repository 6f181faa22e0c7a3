/* SPDX-License-Identifier: MIT */
/* Lines that fit a terminal. */
#ifndef CLEW_CLI_COMMON_CUT_H
#define CLEW_CLI_COMMON_CUT_H

#include <stddef.h>
#include <stdio.h>

/* How far the line that is being written has come. */
struct cut {
	int width; /* of the terminal, > 0 */
	int column;
	int in_escape;
	int was_cut; /* the rest of this line is left out */
};

/*
 * What of `bytes` is to be shown: copied to `out`, which has room for three
 * times as many, and its length returned. The last column of a line that is
 * too long shows `mark`. Escape sequences take no room and are always kept.
 */
size_t cut_bytes(struct cut *cut, const char *bytes, size_t length,
		 const char *mark, char *out);

/*
 * Cuts all lines of stdout at so many columns, until cut_end() is given what
 * this returns; NULL: nothing is cut, as with a width of 0.
 */
FILE *cut_begin(int width);
void cut_end(FILE *whole);

#endif
