/* SPDX-License-Identifier: MIT */
/* Composes short texts without libc, whose functions may be hooked. */
#ifndef CLEW_SYS_TEXT_H
#define CLEW_SYS_TEXT_H

#include <stddef.h>
#include <stdint.h>

/*
 * A NUL-terminated text that is being composed in a buffer. What does not fit
 * is cut.
 */
struct text {
	char *at;
	size_t left; /* including the NUL */
	int was_cut;
};

static inline struct text text_in(char *buffer, size_t bytes)
{
	*buffer = '\0';
	return (struct text){ .at = buffer, .left = bytes };
}

static inline int text_was_cut(const struct text *text)
{
	return text->was_cut;
}

static inline void text_char(struct text *text, char c)
{
	if (text->left < 2) {
		text->was_cut = 1;
		return;
	}
	*text->at++ = c;
	*text->at = '\0';
	text->left--;
}

static inline void text_string(struct text *text, const char *string)
{
	while (*string)
		text_char(text, *string++);
}

/* Returns the file name at the end of a path. */
static inline const char *text_file_name(const char *path)
{
	const char *name = path;

	for (; *path; path++)
		if (*path == '/')
			name = path + 1;
	return name;
}

static inline void text_number(struct text *text, uint64_t number)
{
	if (number >= 10)
		text_number(text, number / 10);
	text_char(text, (char)('0' + number % 10));
}

static inline void text_hex(struct text *text, uint64_t number)
{
	if (number >= 16)
		text_hex(text, number / 16);
	text_char(text, "0123456789abcdef"[number % 16]);
}

static inline int same_text(const char *a, const char *b)
{
	while (*a && *a == *b)
		a++, b++;
	return *a == *b;
}

#endif
