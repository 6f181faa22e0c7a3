/* SPDX-License-Identifier: MIT */
/*
 * Words that one thread changes alone: nobody but its own signal handlers comes
 * between, so one instruction is enough, and none of these waits for what the processor has
 * under way, as an atomic one does. Others may read them.
 */
#ifndef CLEW_HOT_OWN_WORD_H
#define CLEW_HOT_OWN_WORD_H

#include <stdint.h>

/* Adds, and returns what was there before. */
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

/* Whether the word was 0, and is `value` now. */
static inline int own_claim(uint64_t *word, uint64_t value)
{
	uint64_t former = 0;

	__asm__ volatile("cmpxchgq %2, %1"
			 : "+a"(former), "+m"(*word)
			 : "r"(value)
			 : "memory", "cc");
	return !former;
}

/* Takes one off, unless the word is 0: whether it was not. */
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

/* To another value, if it is the first one. */
static inline void own_change(uint64_t *word, uint64_t from, uint64_t to)
{
	__asm__ volatile("cmpxchgq %2, %1"
			 : "+a"(from), "+m"(*word)
			 : "r"(to)
			 : "memory", "cc");
}

#endif
