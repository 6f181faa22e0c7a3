/* SPDX-License-Identifier: MIT */
/*
 * Reads the time stamp counter. On some processors its rate is not constant
 * (machine_has_steady_clock()).
 */
#ifndef CLEW_HOT_STAMP_COUNTER_H
#define CLEW_HOT_STAMP_COUNTER_H

#include <stdint.h>

static inline uint64_t stamp_counter(void)
{
	uint32_t low, high;

	__asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
	return (uint64_t)high << 32 | low;
}

#endif
