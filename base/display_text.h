/* SPDX-License-Identifier: MIT */
/* Small helpers for text that people read. */
#ifndef CLEW_BASE_DISPLAY_TEXT_H
#define CLEW_BASE_DISPLAY_TEXT_H

#include <stdint.h>

struct grouped {
	char text[28];
};

/* 1234567 as "1,234,567". Use as text_grouped(n).text. */
struct grouped text_grouped(uint64_t number);

struct duration {
	char text[32];
};

/* Nanoseconds with a unit: "0", "78 ns", "4.56 us", "12.3 ms", "1,234 s". */
struct duration text_duration(uint64_t ns);

struct percentage {
	char text[32];
};

/* Two digits of a percentage, and no exponent: "0.00012", "9.9", "53", "100". */
struct percentage text_percentage(double percent);

/*
 * Replaces the bytes of control characters, of characters that reorder text, and those
 * that are not UTF-8, by '?', in place: names come from files that others wrote, a
 * terminal obeys escape sequences, and a parser may stop. Returns `text`.
 */
char *text_printable(char *text);

/* Behind the last '/' of a path. */
const char *text_basename(const char *path);

/* "" for one, "s" for any other number. */
const char *text_plural(uint64_t number);

/*
 * A count with an optional suffix K, M or G (powers of 1024): 0, or -EINVAL
 * when it is not that, -ERANGE when it does not fit.
 */
int text_parse_size(const char *text, uint64_t *out);

#endif
