/* SPDX-License-Identifier: MIT */
/*
 * Starts loading a line of memory into the cache and does not wait for it. Any
 * address is allowed. __builtin_prefetch() does not serve: clang emits nothing
 * for it without SSE, and gcc 12 treats a function that only prefetches as one
 * without effect.
 */
#ifndef CLEW_HOT_FETCH_LINE_H
#define CLEW_HOT_FETCH_LINE_H

static inline void fetch_line(const void *at)
{
	__asm__ volatile("prefetcht0 (%0)" : : "r"(at));
}

#endif
