/* SPDX-License-Identifier: MIT */
/*
 * Scans the characters of an expression, in a text that ends at a given byte.
 */
#ifndef CLEW_EXPRESSION_EXPRESSION_SCAN_H
#define CLEW_EXPRESSION_EXPRESSION_SCAN_H

#include <stddef.h>

static inline size_t scan_blanks(const char *text, size_t bytes, size_t at)
{
	while (at < bytes && (text[at] == ' ' || text[at] == '\t'))
		at++;
	return at;
}

static inline int scan_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static inline int scan_is_letter(char c)
{
	return ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || c == '_';
}

/* Returns the length of a name at this position; 0: none. */
static inline size_t scan_name(const char *text, size_t bytes, size_t at)
{
	size_t end = at;

	if (at < bytes && scan_is_digit(text[at]))
		return 0;
	while (end < bytes &&
	       (scan_is_letter(text[end]) || scan_is_digit(text[end])))
		end++;
	return end - at;
}

/* Returns whether a text is this word. */
static inline int scan_is(const char *text, size_t bytes, const char *word)
{
	size_t i = 0;

	while (i < bytes && word[i] && text[i] == word[i])
		i++;
	return i == bytes && !word[i];
}

#endif
