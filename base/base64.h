/* SPDX-License-Identifier: MIT */
/* Base64, with padding and without line breaks. */
#ifndef CLEW_BASE_BASE64_H
#define CLEW_BASE_BASE64_H

#include <stddef.h>

/* Returns the number of characters for so many bytes. */
static inline size_t base64_length(size_t count)
{
	return (count + 2) / 3 * 4;
}

/* Writes base64_length(count) characters, without a terminator. */
void base64_encode(const unsigned char *bytes, size_t count, char *to);

#endif
