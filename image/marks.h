/* SPDX-License-Identifier: MIT */
/*
 * A bit for each byte of a module's code. Addresses outside the range are never
 * marked.
 */
#ifndef CLEW_IMAGE_MARKS_H
#define CLEW_IMAGE_MARKS_H

#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "image/arena.h"

struct marks {
	uint64_t vaddr_start;
	uint64_t vaddr_end;
	uint8_t *bits;
};

/* Allocates the bits. Returns 0 or -ENOMEM. */
static inline int marks_init(struct marks *marks, struct arena *arena,
			     uint64_t vaddr_start, uint64_t vaddr_end)
{
	/*
	 * One word more is allocated, so that marks_from() may read past the
	 * end.
	 */
	uint8_t *bits = arena_alloc(arena, (vaddr_end - vaddr_start) / 8 + 16);

	*marks = (struct marks){ vaddr_start, vaddr_end, bits };
	return bits ? 0 : -ENOMEM;
}

static inline int marks_cover(const struct marks *marks, uint64_t vaddr)
{
	return vaddr >= marks->vaddr_start && vaddr < marks->vaddr_end;
}

static inline void marks_set(struct marks *marks, uint64_t vaddr)
{
	uint64_t bit = vaddr - marks->vaddr_start;

	if (marks_cover(marks, vaddr))
		marks->bits[bit / 8] |= (uint8_t)(1 << bit % 8);
}

/*
 * Returns a word in which bit i is set if vaddr + i is marked, for i = 0..31.
 */
static inline uint32_t marks_from(const struct marks *marks, uint64_t vaddr)
{
	uint64_t bit = vaddr - marks->vaddr_start;
	uint64_t word;

	if (!marks_cover(marks, vaddr))
		return 0;
	memcpy(&word, marks->bits + bit / 8, sizeof(word));
	return (uint32_t)(word >> bit % 8);
}

#endif
