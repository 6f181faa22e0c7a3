/* SPDX-License-Identifier: MIT */
/*
 * AVX-512 state that only this code uses: zmm16 to zmm31, k1 to k7. The
 * compiler does not know of these writes and uses none of the registers.
 */
#ifndef CLEW_TESTS_WIDE_H
#define CLEW_TESTS_WIDE_H

#include <stdint.h>
#include <string.h>

struct wide {
	uint8_t zmm[16][64];
	uint16_t k[8]; /* k[0] is unused */
} __attribute__((aligned(64)));

#define WIDE_INLINE static inline __attribute__((always_inline, unused))

#define WIDE_ZMMS   "16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31"
#define WIDE_KS     "1,2,3,4,5,6,7"

WIDE_INLINE void wide_set(const struct wide *wide)
{
	__asm__ volatile(".irp n," WIDE_ZMMS "\n"
			 "vmovdqu64 64*(\\n-16)(%0), %%zmm\\n\n"
			 ".endr\n"
			 ".irp n," WIDE_KS "\n"
			 "kmovw 1024+2*\\n(%0), %%k\\n\n"
			 ".endr"
			 :
			 : "r"(wide)
			 : "memory");
}

WIDE_INLINE void wide_get(struct wide *wide)
{
	__asm__ volatile(".irp n," WIDE_ZMMS "\n"
			 "vmovdqu64 %%zmm\\n, 64*(\\n-16)(%0)\n"
			 ".endr\n"
			 ".irp n," WIDE_KS "\n"
			 "kmovw %%k\\n, 1024+2*\\n(%0)\n"
			 ".endr"
			 :
			 : "r"(wide)
			 : "memory");
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
