/* SPDX-License-Identifier: MIT */
/*
 * Reading untrusted bytes: a cursor that never leaves its span.
 *
 * Reading past the end returns 0, moves the cursor to the end, and sets
 * `is_bad`. A loop over a damaged file therefore ends by itself, and one check
 * afterwards suffices.
 */
#ifndef CLEW_BASE_CURSOR_H
#define CLEW_BASE_CURSOR_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct span {
	const uint8_t *at;
	size_t bytes;
};

struct cursor {
	const uint8_t *at;
	const uint8_t *end;
	int is_bad;
};

/*
 * Returns a cursor at `offset` of a span; it is bad if the offset is outside.
 */
static inline struct cursor cursor_at(struct span span, uint64_t offset)
{
	static const uint8_t nothing;

	if (offset > span.bytes || !span.at)
		return (struct cursor){ &nothing, &nothing, offset > 0 };
	return (struct cursor){ span.at + offset, span.at + span.bytes, 0 };
}

static inline size_t cursor_left(const struct cursor *cursor)
{
	return (size_t)(cursor->end - cursor->at);
}

static inline void cursor_spoil(struct cursor *cursor)
{
	cursor->at = cursor->end;
	cursor->is_bad = 1;
}

static inline void cursor_skip(struct cursor *cursor, uint64_t bytes)
{
	if (__builtin_expect(bytes > cursor_left(cursor), 0))
		cursor_spoil(cursor);
	else
		cursor->at += bytes;
}

/* Reads a little-endian number of 1 to 8 bytes. */
static inline uint64_t cursor_number(struct cursor *cursor, size_t bytes)
{
	uint64_t number = 0;

	if (__builtin_expect(bytes > cursor_left(cursor), 0)) {
		cursor_spoil(cursor);
		return 0;
	}
	memcpy(&number, cursor->at, bytes);
	cursor->at += bytes;
	return number;
}

static inline uint8_t cursor_u8(struct cursor *cursor)
{
	return (uint8_t)cursor_number(cursor, 1);
}

static inline uint16_t cursor_u16(struct cursor *cursor)
{
	return (uint16_t)cursor_number(cursor, 2);
}

static inline uint32_t cursor_u32(struct cursor *cursor)
{
	return (uint32_t)cursor_number(cursor, 4);
}

static inline uint64_t cursor_u64(struct cursor *cursor)
{
	return cursor_number(cursor, 8);
}

/*
 * Reads an LEB128 number and returns its lowest 64 bits. Sets *bits to the
 * number of bits in the encoding, 7 for each byte, or to 0 if the number is cut
 * off. In a signed number, the highest of these bits is the sign.
 */
static inline uint64_t cursor_leb(struct cursor *cursor, unsigned int *bits)
{
	uint64_t number = 0;
	uint8_t byte;

	*bits = 0;
	do {
		if (cursor->at >= cursor->end) {
			cursor->is_bad = 1;
			*bits = 0;
			return 0;
		}
		byte = *cursor->at++;
		if (*bits < 64)
			number |= (uint64_t)(byte & 0x7f) << *bits;
		*bits += 7;
	} while (byte & 0x80);
	return number;
}

static inline uint64_t cursor_uleb(struct cursor *cursor)
{
	unsigned int bits;

	if (__builtin_expect(cursor->at < cursor->end && *cursor->at < 0x80, 1))
		return *cursor->at++;
	return cursor_leb(cursor, &bits);
}

static inline int64_t cursor_sleb(struct cursor *cursor)
{
	unsigned int bits;
	uint64_t number = cursor_leb(cursor, &bits);

	if (bits > 0 && bits < 64 && number >> (bits - 1))
		number |= ~UINT64_C(0) << bits;
	return (int64_t)number;
}

/*
 * Reads a NUL-terminated string. Returns "" and spoils the cursor if no NUL
 * follows.
 */
static inline const char *cursor_string(struct cursor *cursor)
{
	const uint8_t *start = cursor->at;
	const uint8_t *zero = start < cursor->end
				      ? memchr(start, 0, cursor_left(cursor))
				      : NULL;

	if (!zero) {
		cursor_spoil(cursor);
		return "";
	}
	cursor->at = zero + 1;
	return (const char *)start;
}

/*
 * Returns a cursor over the next `bytes` bytes, and moves *cursor behind them.
 */
static inline struct cursor cursor_part(struct cursor *cursor, uint64_t bytes)
{
	struct cursor part = *cursor;

	if (bytes > cursor_left(cursor)) {
		cursor_spoil(cursor);
		part.end = part.at;
		part.is_bad = 1;
		return part;
	}
	part.end = part.at + bytes;
	cursor->at += bytes;
	return part;
}

/* Returns the string at an offset of a span, or NULL. */
static inline const char *span_string(struct span span, uint64_t offset)
{
	struct cursor cursor = cursor_at(span, offset);
	const char *text;

	if (cursor.is_bad)
		return NULL;
	text = cursor_string(&cursor);
	return cursor.is_bad ? NULL : text;
}

#endif
