/* SPDX-License-Identifier: MIT */
/* See unfold.h. */
#include "symbolizer/elf/unfold.h"

#include <elf.h>
#include <endian.h>
#include <errno.h>
#include <stdlib.h>

#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#ifndef ELFCOMPRESS_ZSTD
#define ELFCOMPRESS_ZSTD 2
#endif

/*
 * Maximum ratio between the decompressed and the compressed size. The file
 * contains both sizes and may be hostile. No supported compression reaches this
 * ratio: zstd comes closest, with 4 bytes for 128 KiB. A greater size is
 * rejected before memory is allocated. The worker's memory limit applies in
 * addition.
 */
enum { MOST_RATIO = 1 << 16 };

#define LZMA_MEMORY (UINT64_C(256) << 20)

static int room_for(struct span folded, uint64_t bytes, uint8_t **out)
{
	if (bytes == 0 || bytes / MOST_RATIO > folded.bytes)
		return -EBADMSG;
	*out = malloc(bytes);
	return *out ? 0 : -EFBIG;
}

/* inflate() uses 32-bit lengths, so a large section takes several steps. */
static int inflate_all(z_stream *stream, struct span folded, uint8_t *to,
		       uint64_t bytes)
{
	enum { STEP = 1 << 30 };
	const uint8_t *from_end = folded.at + folded.bytes;
	const uint8_t *to_end = to + bytes;
	int status;

	stream->next_in = (uint8_t *)folded.at;
	stream->next_out = to;
	do {
		uint64_t in = (uint64_t)(from_end - stream->next_in);
		uint64_t out = (uint64_t)(to_end - stream->next_out);

		stream->avail_in = (uInt)(in < STEP ? in : STEP);
		stream->avail_out = (uInt)(out < STEP ? out : STEP);
		status = inflate(stream, Z_NO_FLUSH);
	} while (status == Z_OK);
	return status == Z_STREAM_END && stream->next_out == to_end ? 0
								    : -EBADMSG;
}

static int unfold_zlib(struct span folded, uint64_t bytes, struct span *out)
{
	z_stream stream = { 0 };
	uint8_t *to;
	int err = room_for(folded, bytes, &to);

	if (err)
		return err;
	err = -EFBIG;
	if (inflateInit(&stream) != Z_OK)
		goto free;
	err = inflate_all(&stream, folded, to, bytes);
	inflateEnd(&stream);
	if (err)
		goto free;
	*out = (struct span){ to, bytes };
	return 0;
free:
	free(to);
	return err;
}

static int unfold_zstd(struct span folded, uint64_t bytes, struct span *out)
{
	uint8_t *to;
	int err = room_for(folded, bytes, &to);

	if (err)
		return err;
	if (ZSTD_decompress(to, bytes, folded.at, folded.bytes) != bytes) {
		free(to);
		return -EBADMSG;
	}
	*out = (struct span){ to, bytes };
	return 0;
}

int unfold_section(struct span folded, struct span *out)
{
	struct cursor cursor = cursor_at(folded, 0);
	uint32_t type = cursor_u32(&cursor);
	uint64_t bytes;

	cursor_u32(&cursor);
	bytes = cursor_u64(&cursor);
	cursor_u64(&cursor); /* skips the alignment */
	if (cursor.is_bad)
		return -EBADMSG;
	folded = (struct span){ cursor.at, cursor_left(&cursor) };
	if (type == ELFCOMPRESS_ZLIB)
		return unfold_zlib(folded, bytes, out);
	if (type == ELFCOMPRESS_ZSTD)
		return unfold_zstd(folded, bytes, out);
	return -ENOTSUP;
}

int unfold_zdebug(struct span folded, struct span *out)
{
	struct cursor cursor = cursor_at(folded, 0);
	uint32_t magic = cursor_u32(&cursor);
	uint64_t bytes = be64toh(cursor_u64(&cursor));

	if (cursor.is_bad || magic != htole32(0x42494c5a)) /* "ZLIB" */
		return -EBADMSG;
	folded = (struct span){ cursor.at, cursor_left(&cursor) };
	return unfold_zlib(folded, bytes, out);
}

/*
 * The size of the result is not known, so the buffer is doubled until the
 * result fits.
 */
int unfold_xz(struct span folded, struct span *out)
{
	for (uint64_t room = folded.bytes * 4 + 4096;
	     room / MOST_RATIO <= folded.bytes + 1; room *= 2) {
		uint64_t memory = LZMA_MEMORY;
		size_t in = 0, made = 0;
		uint8_t *to = malloc(room);
		lzma_ret status;

		if (!to)
			return -EFBIG;
		status = lzma_stream_buffer_decode(&memory, 0, NULL, folded.at,
						   &in, folded.bytes, to, &made,
						   room);
		if (status == LZMA_OK) {
			*out = (struct span){ to, made };
			return 0;
		}
		free(to);
		if (status != LZMA_BUF_ERROR)
			return -EBADMSG;
	}
	return -EBADMSG;
}
