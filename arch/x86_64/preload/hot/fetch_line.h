/* SPDX-License-Identifier: MIT */
/*
 * Have the processor fetch a line of memory, and go on meanwhile. Any address will do. Of
 * __builtin_prefetch() clang makes nothing where SSE is off, and gcc 12 takes a function
 * that does nothing else for one without effect.
 */
#ifndef CLEW_HOT_FETCH_LINE_H
#define CLEW_HOT_FETCH_LINE_H

static inline void fetch_line(const void *at)
{
	__asm__ volatile("prefetcht0 (%0)" : : "r"(at));
}

#endif
