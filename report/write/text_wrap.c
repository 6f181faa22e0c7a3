/* SPDX-License-Identifier: MIT */
/* See text_wrap.h. */
#include "report/write/text_wrap.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { INDENT = 2 }; /* columns of indentation for continued lines */

/* Returns the number of UTF-8 characters. */
static size_t columns_of(const char *text, size_t bytes)
{
	size_t columns = 0;

	for (size_t i = 0; i < bytes; i++)
		columns += ((unsigned char)text[i] & 0xc0) != 0x80;
	return columns;
}

static void wrap_line(FILE *out, const char *line, size_t bytes, size_t width)
{
	size_t at = 0, column = 0;
	int is_begun = 0; /* whether the line contains a word */

	while (at < bytes) {
		const char *space = memchr(line + at, ' ', bytes - at);
		const size_t end = space ? (size_t)(space - line) : bytes;
		const size_t columns = columns_of(line + at, end - at);

		if (is_begun && column + 1 + columns > width) {
			fprintf(out, "\n%*s", INDENT, "");
			column = INDENT;
		} else if (at > 0) {
			fputc(' ', out);
			column++;
		}
		fwrite(line + at, 1, end - at, out);
		column += columns;
		is_begun = 1;
		at = end + 1;
	}
	fputc('\n', out);
}

void text_wrap(FILE *out, const char *text, unsigned int width)
{
	while (*text) {
		const size_t bytes = strcspn(text, "\n");

		if (width > 0)
			wrap_line(out, text, bytes, width);
		else
			fprintf(out, "%.*s\n", (int)bytes, text);
		text += bytes + (text[bytes] == '\n');
	}
}

FILE *text_wrap_begin(struct text_wrap *wrap)
{
	FILE *lines;

	*wrap = (struct text_wrap){ 0 };
	lines = open_memstream(&wrap->text, &wrap->bytes);
	if (!lines)
		memory_exhausted();
	return lines;
}

void text_wrap_end(struct text_wrap *wrap, FILE *lines, FILE *out,
		   unsigned int width)
{
	fclose(lines);
	text_wrap(out, wrap->text, width);
	free(wrap->text);
}
