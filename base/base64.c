/* SPDX-License-Identifier: MIT */
/* See base64.h. */
#include "base/base64.h"

#include <stdint.h>

/*
 * Encodes one to three bytes as four characters. Fewer than three bytes are
 * padded with '='.
 */
static void encode_group(const unsigned char *bytes, size_t count, char *to)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				     "abcdefghijklmnopqrstuvwxyz0123456789+/";
	uint32_t word = (uint32_t)bytes[0] << 16;

	if (count > 1)
		word |= (uint32_t)bytes[1] << 8;
	if (count > 2)
		word |= bytes[2];
	to[0] = digits[word >> 18];
	to[1] = digits[word >> 12 & 63];
	to[2] = count > 1 ? digits[word >> 6 & 63] : '=';
	to[3] = count > 2 ? digits[word & 63] : '=';
}

void base64_encode(const unsigned char *bytes, size_t count, char *to)
{
	for (size_t i = 0; i < count; i += 3, to += 4)
		encode_group(bytes + i, count - i, to);
}
