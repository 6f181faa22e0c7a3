/* SPDX-License-Identifier: MIT */
/*
 * A cursor over bytes that may be hostile. Reading past the end returns zeros
 * and sets `failed` permanently, so one check at the end suffices.
 */
#ifndef CLEW_IMAGE_BYTES_H
#define CLEW_IMAGE_BYTES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct bytes {
	const uint8_t *at;
	const uint8_t *end;
	int failed;
};

static inline size_t bytes_left(const struct bytes *b)
{
	return (size_t)(b->end - b->at);
}

static inline void bytes_skip(struct bytes *b, uint64_t count)
{
	if (count > bytes_left(b)) {
		b->failed = 1;
		count = bytes_left(b);
	}
	b->at += count;
}

/* Reads `count` bytes, at most 8, as a little-endian number. */
static inline uint64_t bytes_unsigned(struct bytes *b, size_t count)
{
	uint64_t value = 0;

	if (count <= bytes_left(b))
		memcpy(&value, b->at, count);
	bytes_skip(b, count);
	return value;
}

static inline int64_t bytes_signed(struct bytes *b, size_t count)
{
	unsigned int unused_bits = (unsigned int)(64 - 8 * count);

	return (int64_t)(bytes_unsigned(b, count) << unused_bits) >>
	       unused_bits;
}

static inline uint8_t bytes_u8(struct bytes *b)
{
	return (uint8_t)bytes_unsigned(b, 1);
}

/* Reads a LEB128 number of at most ten bytes, enough for 64 bits. */
static inline uint64_t bytes_uleb(struct bytes *b)
{
	uint64_t value = 0;

	for (unsigned int shift = 0; shift < 70; shift += 7) {
		uint8_t byte = bytes_u8(b);

		value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return value;
	}
	b->failed = 1;
	return value;
}

static inline int64_t bytes_sleb(struct bytes *b)
{
	const uint8_t *start = b->at;
	uint64_t value = bytes_uleb(b);
	size_t bits = 7 * (size_t)(b->at - start);

	if (bits > 0 && bits < 64 && (b->at[-1] & 0x40))
		value |= ~UINT64_C(0) << bits;
	return (int64_t)value;
}

#endif
