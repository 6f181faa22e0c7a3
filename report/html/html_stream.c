/* SPDX-License-Identifier: MIT */
/* See html_stream.h. */
#include "report/html/html_stream.h"

#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "base/memory.h"
#include "base/varint.h"

enum { NAME_BYTES = 8, BLOCK_BYTES = 3 * 8192 };

void html_column_put(struct html_column *column, uint64_t number)
{
	unsigned char *to;

	/* room for one more than count + VARINT_MOST - 1 bytes */
	column->bytes =
		memory_grow(column->bytes, column->count + VARINT_MOST - 1,
			    &column->capacity, 1);
	to = column->bytes + column->count;
	column->count += (size_t)(varint_put(to, number) - to);
}

void html_column_put_rare(struct html_column *column, uint64_t number)
{
	if (number == 0) {
		column->zeros++;
		return;
	}
	if (column->zeros) {
		html_column_put(column, 0);
		html_column_put(column, column->zeros);
		column->zeros = 0;
	}
	html_column_put(column, number);
}

static void write_base64(struct html_stream *stream, const unsigned char *bytes,
			 size_t count)
{
	char block[BLOCK_BYTES / 3 * 4];
	size_t filled = 0;

	for (size_t i = 0; i < count; i++) {
		stream->carried[stream->carried_bytes++] = bytes[i];
		if (stream->carried_bytes < 3)
			continue;
		base64_encode(stream->carried, 3, block + filled);
		stream->carried_bytes = 0;
		filled += 4;
		if (filled == sizeof(block)) {
			fwrite(block, 1, filled, stream->out);
			filled = 0;
		}
	}
	fwrite(block, 1, filled, stream->out);
}

static void pump(struct html_stream *stream, const void *bytes, size_t count,
		 int flush)
{
	unsigned char block[BLOCK_BYTES];
	int status;

	/* zlib uses unsigned int for lengths; sections may be longer. */
	do {
		size_t part = count < (1U << 30) ? count : 1U << 30;

		stream->deflater.next_in = (void *)(uintptr_t)bytes;
		stream->deflater.avail_in = (unsigned int)part;
		count -= part;
		if (part) /* `bytes` may be NULL for length 0 */
			bytes = (const char *)bytes + part;
		do {
			stream->deflater.next_out = block;
			stream->deflater.avail_out = sizeof(block);
			status = deflate(&stream->deflater,
					 count ? Z_NO_FLUSH : flush);
			write_base64(stream, block,
				     sizeof(block) -
					     stream->deflater.avail_out);
		} while (stream->deflater.avail_out == 0);
	} while (count > 0 && status != Z_STREAM_ERROR);
}

void html_stream_begin(struct html_stream *stream, FILE *out)
{
	*stream = (struct html_stream){ .out = out };
	if (deflateInit(&stream->deflater, Z_BEST_SPEED) != Z_OK)
		memory_exhausted();
}

void html_stream_section(struct html_stream *stream, const char *name,
			 const void *bytes, size_t count)
{
	char head[NAME_BYTES + sizeof(uint64_t)];
	uint64_t length = count;

	memset(head, ' ', NAME_BYTES);
	memcpy(head, name, strnlen(name, NAME_BYTES));
	memcpy(head + NAME_BYTES, &length, sizeof(length));
	pump(stream, head, sizeof(head), Z_NO_FLUSH);
	pump(stream, bytes, count, Z_NO_FLUSH);
}

void html_stream_column(struct html_stream *stream, const char *name,
			struct html_column *column)
{
	html_stream_section(stream, name, column->bytes, column->count);
	free(column->bytes);
	*column = (struct html_column){ 0 };
}

void html_stream_end(struct html_stream *stream)
{
	char last[4];

	pump(stream, NULL, 0, Z_FINISH);
	deflateEnd(&stream->deflater);
	if (stream->carried_bytes == 0)
		return;
	base64_encode(stream->carried, stream->carried_bytes, last);
	fwrite(last, 1, sizeof(last), stream->out);
}
