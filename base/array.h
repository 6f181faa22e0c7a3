/* SPDX-License-Identifier: MIT */
/*
 * Arrays that grow. If memory is short, the functions return an error and the
 * caller decides what to do.
 */
#ifndef CLEW_BASE_ARRAY_H
#define CLEW_BASE_ARRAY_H

#include <stdint.h>
#include <stdlib.h>

/*
 * Returns the array that replaces `items` (reallocarray), with room for at
 * least `wanted` elements of `size` bytes, and updates *capacity, which doubles
 * as often as necessary. Returns NULL if memory is short; then nothing is
 * changed.
 */
static inline void *array_grown(void *items, size_t wanted, size_t *capacity,
				size_t size)
{
	size_t room = *capacity ? *capacity : 16;

	if (wanted > SIZE_MAX / 2)
		return NULL;
	while (room < wanted)
		room *= 2;
	items = reallocarray(items, room, size);
	if (items)
		*capacity = room;
	return items;
}

#endif
