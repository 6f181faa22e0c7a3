/* SPDX-License-Identifier: MIT */
/* Replaces the numbering of functions without modules, for tests of tallies. */
#ifndef CLEW_TESTS_NUMBERED_H
#define CLEW_TESTS_NUMBERED_H

#include "preload/record/numbers.h"

/* Declares that exactly the numbers 1 to `count` belong to functions. */
static inline void numbered_up_to(uint32_t count)
{
	static struct number_range range = { .first = 1 };

	for (uint32_t i = 0; i < NUMBER_BLOCKS; i++)
		number_blocks[i] =
			i <= count >> NUMBER_BLOCK_LOG2 ? &range : NULL;
	range.count = count;
	range.used = count;
}

#endif
