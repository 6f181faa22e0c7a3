/* SPDX-License-Identifier: MIT */
/* Variable-length numbers in files: LEB128 and zigzag. */
#ifndef CLEW_BASE_VARINT_H
#define CLEW_BASE_VARINT_H

#include <stdint.h>

enum { VARINT_MOST = 10 }; /* maximum size in bytes */

static inline uint8_t *varint_put(uint8_t *to, uint64_t number)
{
	while (number >= 0x80) {
		*to++ = (uint8_t)(number | 0x80);
		number >>= 7;
	}
	*to++ = (uint8_t)number;
	return to;
}

/*
 * Returns the difference of two numbers in zigzag coding: 0, -1, 1, -2, ...
 * become 0, 1, 2, 3, ..., so small differences need few bytes as a varint.
 */
static inline uint32_t zigzag(uint32_t from, uint32_t to)
{
	uint32_t difference = to - from;

	return difference << 1 ^ -(difference >> 31);
}

static inline uint32_t unzigzag(uint32_t from, uint32_t coded)
{
	return from + (coded >> 1 ^ -(coded & 1));
}

/* The same for numbers of 64 bits. */
static inline uint64_t zigzag_long(uint64_t from, uint64_t to)
{
	uint64_t difference = to - from;

	return difference << 1 ^ -(difference >> 63);
}

static inline uint64_t unzigzag_long(uint64_t from, uint64_t coded)
{
	return from + (coded >> 1 ^ -(coded & 1));
}

#endif
