/* SPDX-License-Identifier: MIT */
/* Numbers of functions without modules, for tests of what counts them. */
#ifndef CLEW_TESTS_NUMBERED_H
#define CLEW_TESTS_NUMBERED_H

#include "preload/record/numbers.h"

/* The numbers 1 to `count`, and no others, are functions'. */
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
