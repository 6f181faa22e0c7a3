/* SPDX-License-Identifier: MIT */
/* Arrays that grow. Each caller decides what to do without memory. */
#ifndef CLEW_BASE_ARRAY_H
#define CLEW_BASE_ARRAY_H

#include <stdint.h>
#include <stdlib.h>

/*
 * Returns the array that replaces `items`, with room for `wanted` elements,
 * which exceed *capacity; the capacity doubles. Returns NULL without memory;
 * then nothing is changed.
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
