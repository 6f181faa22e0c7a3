/* SPDX-License-Identifier: MIT */
/*
 * A caller that knows which registers its callee changes (gcc -fipa-ra), and
 * keeps values in the others, caller-saved ones among them. COUNTED forbids
 * that knowledge, so these functions are only kept from being inlined or
 * cloned.
 */
#ifndef CLEW_TESTS_RANDOM_REGISTERS_H
#define CLEW_TESTS_RANDOM_REGISTERS_H

#ifdef __clang__
#define SEEN_THROUGH __attribute__((noinline, unused))
#else
#define SEEN_THROUGH __attribute__((noinline, noclone, no_icf, unused))
#endif

/* Makes no calls, so that the compiler sees all registers that it changes. */
static SEEN_THROUGH long registers_step(long n)
{
	ENTER(registers_step);
	n = n * 5 + 1;
	LEAVE();
	return n;
}

static SEEN_THROUGH long registers_keep(long n)
{
	long a = n * 3, b = n ^ 5, c = n + 7, d = n * n, e = n - 9, f = n | 17;
	long g = n & 29, h = n << 2, i = n * 13, j = ~n, k = n % 19;
	double x = (double)n * 1.5, y = (double)n + .25, z = (double)n * 3;

	ENTER(registers_keep);
	for (int turn = 0; turn < 3; turn++) {
		n = registers_step(n);
		a += b ^ n, c += d ^ a, e += f ^ c, g += h ^ e, i += j ^ g;
		k += i, b += k, x += y, y += z;
	}
	LEAVE();
	return (a ^ b ^ c ^ d ^ e ^ f ^ g ^ h ^ i ^ j ^ k ^ (long)(x + y)) %
	       1000;
}

TRUTH_INLINE long move_registers(function body, long n)
{
	return registers_keep(body(n));
}

#endif
