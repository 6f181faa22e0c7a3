/* SPDX-License-Identifier: MIT */
/*
 * Growing arrays for a library: out of memory, they return -ENOMEM and are
 * unchanged.
 */
#ifndef CLEW_SYMBOLIZER_SPACE_VECTOR_H
#define CLEW_SYMBOLIZER_SPACE_VECTOR_H

#include <errno.h>
#include <stddef.h>

#include "base/array.h"

/* Owners are 32-bit numbers, and the highest ones have special meanings. */
#define VECTOR_MOST ((size_t)1 << 28)

/*
 * Declares `struct NAME`, which is empty when zeroed, and NAME_add(), which
 * appends a copy of an item.
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

/*
 * Returns `items` or its replacement with room for one more; NULL: out of
 * memory.
 */
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
