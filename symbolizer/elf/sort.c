/* SPDX-License-Identifier: MIT */
/* See sort.h. */
#include "symbolizer/elf/sort.h"

#include <string.h>

enum { FEW = 48, DIGITS = 256 };

static void insert_each(uint64_t *keys, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		uint64_t key = keys[i];
		size_t at = i;

		for (; at > 0 && keys[at - 1] > key; at--)
			keys[at] = keys[at - 1];
		keys[at] = key;
	}
}

/* One pass of a radix sort by the byte at `shift`. */
static void distribute(const uint64_t *from, uint64_t *to, size_t count,
		       unsigned int shift)
{
	size_t starts[DIGITS] = { 0 };
	size_t sum = 0;

	for (size_t i = 0; i < count; i++)
		starts[(uint8_t)(from[i] >> shift)]++;
	for (size_t i = 0; i < DIGITS; i++) {
		size_t here = starts[i];

		starts[i] = sum;
		sum += here;
	}
	for (size_t i = 0; i < count; i++)
		to[starts[(uint8_t)(from[i] >> shift)]++] = from[i];
}

void sort_keys(uint64_t *keys, uint64_t *scratch, size_t count)
{
	uint64_t *from = keys, *to = scratch, *other;
	uint64_t differing = 0;

	if (count <= FEW) {
		insert_each(keys, count);
		return;
	}
	for (size_t i = 1; i < count; i++)
		differing |= keys[i] ^ keys[0];
	for (unsigned int shift = 0; shift < 64; shift += 8) {
		if (!(uint8_t)(differing >> shift))
			continue;
		distribute(from, to, count, shift);
		other = from;
		from = to;
		to = other;
	}
	if (from != keys)
		memcpy(keys, from, count * sizeof(*keys));
}
