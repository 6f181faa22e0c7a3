/* SPDX-License-Identifier: MIT */
/* Breaks long lines of text between words. */
#ifndef CLEW_WRITE_TEXT_WRAP_H
#define CLEW_WRITE_TEXT_WRAP_H

#include <stddef.h>
#include <stdio.h>

/*
 * Writes each line of `text`, broken at blanks so that no line has more than
 * `width` columns; continued lines are indented. A longer word stays whole. 0:
 * no limit.
 */
void text_wrap(FILE *out, const char *text, unsigned int width);

/* Collects lines, which text_wrap_end() then wraps and writes. */
struct text_wrap {
	char *text;
	size_t bytes;
};

FILE *text_wrap_begin(struct text_wrap *wrap);
/* Closes `lines` and writes the wrapped lines to `out`. */
void text_wrap_end(struct text_wrap *wrap, FILE *lines, FILE *out,
		   unsigned int width);

#endif
