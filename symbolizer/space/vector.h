/* SPDX-License-Identifier: MIT */
/* Growing arrays in a library: without memory, -ENOMEM and nothing changed. */
#ifndef CLEW_SYMBOLIZER_SPACE_VECTOR_H
#define CLEW_SYMBOLIZER_SPACE_VECTOR_H

#include <errno.h>
#include <stddef.h>

#include "base/array.h"

/* All owners are 32-bit numbers, of which the last ones mean something else. */
#define VECTOR_MOST ((size_t)1 << 28)

/*
 * Declares `struct NAME`, zeroed when empty, and NAME_add(), which appends a
 * copy of an item.
 */
#define VECTOR(name, type)                                                     \
	struct name {                                                          \
		type *items;                                                   \
		size_t count;                                                  \
		size_t capacity;                                               \
	};                                                                     \
	static inline __attribute__((unused)) int name##_add(                  \
		struct name *vector, const type *item)                         \
	{                                                                      \
		void *items = vector_room(vector->items, vector->count,        \
					  &vector->capacity, sizeof(type));    \
                                                                               \
		if (!items)                                                    \
			return -ENOMEM;                                        \
		vector->items = items;                                         \
		vector->items[vector->count++] = *item;                        \
		return 0;                                                      \
	}

/* `items` or what replaces it, with room for one more; NULL: no memory. */
static inline void *vector_room(void *items, size_t count, size_t *capacity,
				size_t size)
{
	if (count < *capacity)
		return items;
	if (count >= VECTOR_MOST)
		return NULL;
	return array_grown(items, count + 1, capacity, size);
}

#endif
