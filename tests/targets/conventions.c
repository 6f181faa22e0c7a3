/* SPDX-License-Identifier: MIT */
/*
 * Unusual calling conventions: other ABIs, nested functions with a static
 * chain, frames of unknown size, stacks aligned only to 8 bytes, no red zone,
 * functions that preserve caller-saved registers. Compilers support different
 * ones; the program prints the results of those that are supported. The program
 * prints no floating-point numbers, for which libc needs an aligned stack.
 */
#define TRUTH_MAIN
#include "tests/targets/truth.h"

#include <alloca.h>
#include <stdarg.h>
#include <string.h>

#if __has_attribute(preserve_most)
#define PRESERVE_MOST __attribute__((preserve_most))
#else
#define PRESERVE_MOST
#endif
#if __has_attribute(preserve_all)
#define PRESERVE_ALL __attribute__((preserve_all))
#else
#define PRESERVE_ALL
#endif
#if __has_attribute(regcall)
#define REGCALL __attribute__((regcall))
#else
#define REGCALL
#endif
#if __has_attribute(vectorcall)
#define VECTORCALL __attribute__((vectorcall))
#else
#define VECTORCALL
#endif
#define MS __attribute__((ms_abi))

struct triple {
	long a, b, c;
};

static COUNTED MS long ms_many(long a, double b, long c, double d, long e,
			       struct triple f)
{
	return a + 2 * (long)b + 3 * c + 4 * (long)d + 5 * e + 6 * f.a +
	       7 * f.c;
}

static COUNTED MS struct triple ms_struct(struct triple in, int n)
{
	in.a += n;
	in.c *= n;
	return in;
}

static COUNTED MS long ms_variadic(int count, ...)
{
	__builtin_ms_va_list list;
	long sum = 0;

	__builtin_ms_va_start(list, count);
	while (count--)
		sum = sum * 3 + __builtin_va_arg(list, long);
	__builtin_ms_va_end(list);
	return sum;
}

static COUNTED PRESERVE_MOST long keeps_most(long n)
{
	return n * 5 + 1;
}

static COUNTED PRESERVE_ALL long keeps_all(long n)
{
	return n * 7 + 1;
}

static COUNTED REGCALL long by_registers(long a, long b, long c, long d, long e,
					 long f, long g, long h, long i)
{
	return a - b + c * d - e + f * g - h + i;
}

static COUNTED VECTORCALL long by_vectors(double a, double b, long c)
{
	return (long)(a * b) + c;
}

/*
 * Many values are live over the call, in registers that the callee preserves.
 */
static COUNTED long keepers(long n)
{
	long a = n, b = n * 3, c = n * 5, d = n * 7, e = n * 11, f = n * 13;

	for (int i = 0; i < 20; i++) {
		a += keeps_most(b + i);
		b ^= keeps_all(c + i);
		c -= keeps_most(d) ^ e;
		d += by_registers(a, b, c, d, e, f, i, n, 1);
		e ^= keeps_all(f) + by_vectors((double)i, 2.0, a);
		f += a & 0xff;
	}
	return a ^ b ^ c ^ d ^ e ^ f;
}

static COUNTED long on_unknown_frame(int n)
{
	size_t bytes = (size_t)(n * 37 % 5000) + 16;
	unsigned char *room = alloca(bytes);
	volatile long sum = 0;

	memset(room, n, bytes);
	if (n)
		sum = on_unknown_frame(n - 1);
	for (size_t i = 0; i < bytes; i++)
		sum += room[i] == (unsigned char)n;
	return sum;
}

#ifdef __clang__
static COUNTED long with_nested(long n)
{
	return n;
}
#else
static COUNTED long with_nested(long n)
{
	long sum = 0;

	/* r10 holds the enclosing frame */
	__attribute__((noipa)) void add(long what)
	{
		sum += what + n;
	}

	for (long i = 0; i < n; i++)
		add(i);
	return sum;
}
#endif

static COUNTED long in_red_zone(long a, long b)
{
	volatile long kept[12];

	for (int i = 0; i < 12; i++)
		kept[i] = a * i + b;
	return kept[3] + kept[11];
}

int main(void)
{
	long sum = 0;

	for (int round = 1; round <= 50; round++) {
		struct triple triple = { round, 2, 3 };

		sum += ms_many(round, 2.5, 3, 4.5, 5, triple);
		sum ^= ms_struct(triple, round).c;
		sum += ms_variadic(6, 1L, 2L, 3L, 4L, 5L, (long)round);
		sum ^= keepers(round);
		sum += on_unknown_frame(round);
		sum ^= with_nested(round);
		sum += in_red_zone(round, sum);
		printf("%ld\n", sum);
	}
	return 0;
}
