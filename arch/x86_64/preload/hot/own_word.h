/* SPDX-License-Identifier: MIT */
/*
 * Read-modify-write operations on words that only one thread changes, but that
 * any thread may read. Only signal handlers of the changing thread can
 * interrupt it, so a single instruction is enough. The instructions have no
 * lock prefix, so they do not wait for earlier stores as atomic ones do.
 */
#ifndef CLEW_HOT_OWN_WORD_H
#define CLEW_HOT_OWN_WORD_H

#include <stdint.h>

/* Adds `more` and returns the former value. */
static inline uint64_t own_fetch_add(uint64_t *word, uint64_t more)
{
	__asm__ volatile("xaddq %0, %1"
			 : "+r"(more), "+m"(*word)
			 :
			 : "memory", "cc");
	return more;
}

static inline void own_add(uint64_t *word, uint64_t more)
{
	__asm__ volatile("addq %1, %0"
			 : "+m"(*word)
			 : "er"(more)
			 : "memory", "cc");
}

/* Stores `value` if the word is 0. Returns whether the word was 0. */
static inline int own_claim(uint64_t *word, uint64_t value)
{
	uint64_t former = 0;

	__asm__ volatile("cmpxchgq %2, %1"
			 : "+a"(former), "+m"(*word)
			 : "r"(value)
			 : "memory", "cc");
	return !former;
}

/* Subtracts one unless the word is 0. Returns whether it was not 0. */
static inline int own_take(uint64_t *word)
{
	uint64_t left = __atomic_load_n(word, __ATOMIC_RELAXED);

	while (left) {
		uint64_t former = left;

		__asm__ volatile("cmpxchgq %2, %1"
				 : "+a"(former), "+m"(*word)
				 : "r"(left - 1)
				 : "memory", "cc");
		if (former == left)
			return 1;
		left = former;
	}
	return 0;
}

/* Stores `to` if the word is `from`. */
static inline void own_change(uint64_t *word, uint64_t from, uint64_t to)
{
	__asm__ volatile("cmpxchgq %2, %1"
			 : "+a"(from), "+m"(*word)
			 : "r"(to)
			 : "memory", "cc");
}

#endif
