/* SPDX-License-Identifier: MIT */
/* Functions for text that people read. */
#ifndef CLEW_BASE_DISPLAY_TEXT_H
#define CLEW_BASE_DISPLAY_TEXT_H

#include <stddef.h>
#include <stdint.h>

struct grouped {
	char text[28];
};

/*
 * Returns a number with commas: 1234567 as "1,234,567". Use it as
 * text_grouped(n).text.
 */
struct grouped text_grouped(uint64_t number);

struct duration {
	char text[32];
};

/*
 * Returns a number of nanoseconds, rounded to three digits, with a unit: "0",
 * "78 ns", "4.56 us", "12.3 ms", "1,234 s".
 */
struct duration text_duration(uint64_t ns);

struct percentage {
	char text[32];
};

/*
 * Returns a percentage, rounded to two digits (from 99.5 on to an integer),
 * without an exponent and without "%": "0.00012", "9.9", "53", "100".
 */
struct percentage text_percentage(double percent);

/*
 * Replaces the bytes of control characters, of characters that reorder text,
 * and invalid UTF-8 by '?', in place. Names may come from files of other users,
 * and such bytes would make a terminal obey escape sequences, or a parser of
 * the output fail. Returns `text`.
 */
char *text_printable(char *text);

/* Returns the columns of a text in UTF-8, one for each character. */
size_t text_columns(const char *text);

/* Returns the part of a path after the last '/'. */
const char *text_basename(const char *path);

/* Returns "" for 1, "s" for any other number. */
const char *text_plural(uint64_t number);

/*
 * Parses a decimal number with an optional suffix K, M or G (powers of 1024).
 * Returns 0; -EINVAL if the text is no such number, -ERANGE if the number is
 * too large.
 */
int text_parse_size(const char *text, uint64_t *out);

/* Returns the text as one word of a shell. Frees `text`. */
char *text_shell_word(char *text);

#endif
