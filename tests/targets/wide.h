/* SPDX-License-Identifier: MIT */
/*
 * AVX-512 state that no code but this touches: zmm16 to zmm31, k1 to k7. It is
 * written without the compiler's knowing, which uses none of it.
 */
#ifndef CLEW_TESTS_WIDE_H
#define CLEW_TESTS_WIDE_H

#include <stdint.h>
#include <string.h>

struct wide {
	uint8_t zmm[16][64];
	uint16_t k[8]; /* k[0] is unused */
} __attribute__((aligned(64)));

#define WIDE_EACH_ZMM(X)                                                       \
	X(0, 16)                                                               \
	X(1, 17)                                                               \
	X(2, 18)                                                               \
	X(3, 19)                                                               \
	X(4, 20) X(5, 21) X(6, 22) X(7, 23) X(8, 24) X(9, 25) X(10, 26)        \
		X(11, 27) X(12, 28) X(13, 29) X(14, 30) X(15, 31)
#define WIDE_EACH_K(X) X(1) X(2) X(3) X(4) X(5) X(6) X(7)

#define WIDE_INLINE    static inline __attribute__((always_inline, unused))

WIDE_INLINE void wide_set(const struct wide *wide)
{
#define X(i, n) "vmovdqu64 64*" #i "(%0), %%zmm" #n "\n\t"
#define Y(n)    "kmovw 1024+2*" #n "(%0), %%k" #n "\n\t"
	__asm__ volatile(WIDE_EACH_ZMM(X) WIDE_EACH_K(Y)
			 :
			 : "r"(wide)
			 : "memory");
#undef X
#undef Y
}

WIDE_INLINE void wide_get(struct wide *wide)
{
#define X(i, n) "vmovdqu64 %%zmm" #n ", 64*" #i "(%0)\n\t"
#define Y(n)    "kmovw %%k" #n ", 1024+2*" #n "(%0)\n\t"
	__asm__ volatile(WIDE_EACH_ZMM(X) WIDE_EACH_K(Y)
			 :
			 : "r"(wide)
			 : "memory");
#undef X
#undef Y
}

WIDE_INLINE void wide_fill(struct wide *wide, uint64_t seed)
{
	volatile uint64_t *words = (volatile uint64_t *)wide;

	for (unsigned int i = 0; i < sizeof(*wide) / 8; i++) {
		seed = seed * 6364136223846793005 + 1442695040888963407;
		words[i] = seed;
	}
}

WIDE_INLINE int wide_differs(const struct wide *one, const struct wide *other)
{
	const volatile uint64_t *a = (const volatile uint64_t *)one;
	const volatile uint64_t *b = (const volatile uint64_t *)other;

	for (unsigned int i = 0; i < sizeof(one->zmm) / 8; i++)
		if (a[i] != b[i])
			return 1;
	for (int i = 1; i < 8; i++)
		if (one->k[i] != other->k[i])
			return 1;
	return 0;
}

#endif
