/* SPDX-License-Identifier: MIT */
/*
 * Cuts lines by columns. A column is one byte of ASCII or one UTF-8 sequence.
 * Function names hardly contain wide characters, so no table of widths is
 * needed.
 */
#include "cli/common/cut.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "report/write/text_writer.h"

enum { ESCAPE = 0x1b };

static int is_continuation(char byte)
{
	return ((unsigned char)byte & 0xc0) == 0x80;
}

/*
 * Writes one byte of text if its column is visible. Writes the mark at the
 * first byte of the last column.
 */
static char *put_visible(struct cut *cut, char byte, const char *mark, char *to)
{
	if (!is_continuation(byte))
		cut->column++;
	if (cut->column < cut->width) {
		*to++ = byte;
	} else if (!cut->was_cut) {
		/*
		 * In the last column, it is not known whether more text
		 * follows.
		 */
		to = stpcpy(to, mark);
		cut->was_cut = 1;
	}
	return to;
}

size_t cut_bytes(struct cut *cut, const char *bytes, size_t length,
		 const char *mark, char *out)
{
	char *to = out;

	for (size_t i = 0; i < length; i++) {
		char byte = bytes[i];

		if (byte == '\n') {
			*to++ = byte;
			*cut = (struct cut){ .width = cut->width };
		} else if (byte == ESCAPE || cut->in_escape) {
			*to++ = byte;
			cut->in_escape = byte != 'm';
		} else {
			to = put_visible(cut, byte, mark, to);
		}
	}
	return (size_t)(to - out);
}

struct stream {
	struct cut cut;
	FILE *out;
};

static ssize_t write_cut(void *cookie, const char *bytes, size_t length)
{
	struct stream *stream = cookie;
	char *out = memory_zeroed(length, 3);
	size_t kept = cut_bytes(&stream->cut, bytes, length,
				text_glyph("\u2026", ">"), out);
	size_t put = fwrite(out, 1, kept, stream->out);

	free(out);
	return put == kept && fflush(stream->out) == 0 ? (ssize_t)length : 0;
}

static int close_cut(void *cookie)
{
	free(cookie);
	return 0;
}

FILE *cut_begin(int width)
{
	static const cookie_io_functions_t functions = {
		.write = write_cut,
		.close = close_cut,
	};
	struct stream *stream;
	FILE *out, *whole = stdout;

	if (width <= 0)
		return NULL;
	stream = memory_zeroed(1, sizeof(*stream));
	stream->cut.width = width;
	stream->out = whole;
	out = fopencookie(stream, "w", functions);
	if (!out) {
		free(stream);
		return NULL;
	}
	stdout = out; /* glibc documents that stdout may be assigned. */
	return whole;
}

void cut_end(FILE *whole)
{
	if (!whole)
		return;
	fclose(stdout);
	stdout = whole;
}
