/* SPDX-License-Identifier: MIT */
/* Pseudo-random numbers, the same in each run (Knuth's MMIX generator). */
#ifndef CLEW_TESTS_DRAWN_H
#define CLEW_TESTS_DRAWN_H

#include <stddef.h>
#include <stdint.h>

static uint64_t drawn_state = 1;

static inline uint32_t draw(uint32_t below)
{
	drawn_state = drawn_state * UINT64_C(6364136223846793005) +
		      1442695040888963407;
	return (uint32_t)(drawn_state >> 33) % below;
}

static inline void shuffle(size_t *items, size_t count)
{
	for (size_t i = count - 1; i > 0; i--) {
		const size_t other = draw((uint32_t)i + 1);
		const size_t kept = items[i];

		items[i] = items[other];
		items[other] = kept;
	}
}

#endif
