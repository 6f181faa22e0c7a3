/* SPDX-License-Identifier: MIT */
/* See checksum.h. */
#include "symbolizer/elf/checksum.h"

#include <string.h>

#include "symbolizer/index_format.h"

#define MULTIPLIER UINT64_C(0xd1342543de82ef95)

static uint64_t step(uint64_t state, const unsigned char *at)
{
	uint64_t word;

	memcpy(&word, at, sizeof(word));
	state = (state ^ word) * MULTIPLIER;
	return state ^ state >> 32;
}

uint64_t checksum(const void *bytes, size_t count)
{
	const unsigned char *at = bytes;
	unsigned char tail[8] = { 0 };
	uint64_t a = count, b = 1, c = 2, d = 3;

	for (; count >= 32; count -= 32, at += 32) {
		a = step(a, at);
		b = step(b, at + 8);
		c = step(c, at + 16);
		d = step(d, at + 24);
	}
	for (; count >= 8; count -= 8, at += 8)
		a = step(a, at);
	memcpy(tail, at, count);
	a = step(a, tail);
	a = (a ^ b) * MULTIPLIER;
	a = (a ^ a >> 29 ^ c) * MULTIPLIER;
	a = (a ^ a >> 29 ^ d) * MULTIPLIER;
	return a ^ a >> 32;
}

uint64_t checksum_of_index(const void *bytes, size_t count)
{
	struct index_header header;
	uint64_t body = checksum((const char *)bytes + sizeof(header),
				 count - sizeof(header));

	memcpy(&header, bytes, sizeof(header));
	header.checksum = 0;
	return checksum(&header, sizeof(header)) ^ (body << 1 | body >> 63);
}
