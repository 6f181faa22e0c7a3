/* SPDX-License-Identifier: MIT */
/*
 * Returns the time of a clock in nanoseconds. Any thread and signal handler may
 * call this function.
 */
#ifndef CLEW_BASE_NOW_H
#define CLEW_BASE_NOW_H

#include <stdint.h>
#include <time.h>

static inline uint64_t now_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

#endif
