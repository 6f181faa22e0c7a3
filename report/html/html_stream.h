/* SPDX-License-Identifier: MIT */
/*
 * The data in the page: sections in a zlib stream, in base64:
 *
 *	8 bytes of name, padded with blanks | u64 length | that many bytes
 *
 * Base64 contains no characters that end a script element or a comment. The
 * name of a function can therefore not be executed.
 */
#ifndef CLEW_HTML_HTML_STREAM_H
#define CLEW_HTML_HTML_STREAM_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <zlib.h>

/* The bytes of a section. */
struct html_column {
	unsigned char *bytes;
	size_t count, capacity;
	/* for html_column_put_rare(): zeros that are not written yet */
	uint64_t zeros;
};

/* Appends a number as unsigned LEB128. */
void html_column_put(struct html_column *column, uint64_t number);

/*
 * Appends to a column of which most numbers are 0. Instead of several zeros, it
 * has a 0 and their number, and none at its end.
 */
void html_column_put_rare(struct html_column *column, uint64_t number);

struct html_stream {
	FILE *out;
	z_stream deflater;
	/* bytes that do not yet fill a group of three */
	unsigned char carried[3];
	size_t carried_bytes;
};

void html_stream_begin(struct html_stream *stream, FILE *out);
void html_stream_section(struct html_stream *stream, const char *name,
			 const void *bytes, size_t count);

/* Writes a section from a column, and frees the column. */
void html_stream_column(struct html_stream *stream, const char *name,
			struct html_column *column);
void html_stream_end(struct html_stream *stream);

#endif
