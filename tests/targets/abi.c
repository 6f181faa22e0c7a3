/* SPDX-License-Identifier: MIT */
/*
 * All kinds of arguments and results of the calling convention: on the stack,
 * in pairs of registers, on the x87 stack, by hidden pointers. Prints the
 * values that arrive; the test compares them with a run without clew.
 */
#define TRUTH_MAIN
#include "tests/targets/truth.h"

#include <complex.h>
#include <stdarg.h>
#include <string.h>

struct large {
	long words[20];
};

struct mixed {
	double real;
	long integer;
};

struct small {
	char bytes[3];
};

static COUNTED long many(long a, long b, long c, long d, long e, long f, long g,
			 long h, double i, double j, long k)
{
	return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h +
	       (long)(i * 9) + (long)(j * 10) + 11 * k;
}

static COUNTED double variadic(const char *types, ...)
{
	double sum = 0;
	va_list list;

	va_start(list, types);
	for (; *types; types++) {
		if (*types == 'd')
			sum = sum * 3 + va_arg(list, double);
		else if (*types == 'l')
			sum = sum * 3 + (double)va_arg(list, long);
		else
			sum = sum * 3 + (double)va_arg(list, long double);
	}
	va_end(list);
	return sum;
}

static COUNTED struct large by_value(struct large in, int n)
{
	for (int i = 0; i < 20; i++)
		in.words[i] = in.words[i] * 2 + n;
	return in;
}

static COUNTED struct mixed in_two_kinds(struct mixed in)
{
	struct mixed out = { (double)in.integer / 2, (long)(in.real * 2) };

	return out;
}

static COUNTED struct small in_three_bytes(struct small in)
{
	in.bytes[1]++;
	return in;
}

static COUNTED long double on_x87(long double in)
{
	return in / 3;
}

static COUNTED long double complex on_x87_twice(long double complex in)
{
	return in * in;
}

static COUNTED double complex in_xmm_pair(double complex in)
{
	return in * I;
}

static COUNTED __int128 in_gpr_pair(__int128 in)
{
	return in * 3 + 1;
}

static COUNTED _Bool negated(_Bool in)
{
	return !in;
}

typedef float vector __attribute__((vector_size(16)));

static COUNTED vector in_vector(vector in, vector factor)
{
	return in * factor;
}

int main(void)
{
	struct large large;
	struct small small = { "ab" };

	for (int i = 0; i < 20; i++)
		large.words[i] = i;
	for (int round = 1; round <= 3; round++) {
		struct mixed mixed = { 1.5 * round, 7 };
		__int128 wide = (__int128)round << 80;
		vector floats = { 1, 2, 3, 4 };

		printf("%ld\n", many(1, 2, 3, 4, 5, 6, 7, 8, 9.5, 10.5, round));
		printf("%f\n", variadic("dlxdlxdddddddddlllllll", 1.0, 2L, 3.0L,
					4.0, 5L, 6.0L, 7.0, 8.0, 9.0, 10.0,
					11.0, 12.0, 13.0, 14.0, 15.0, 16L, 17L,
					18L, 19L, 20L, 21L, (long)round));
		large = by_value(large, round);
		printf("%ld %ld\n", large.words[0], large.words[19]);
		mixed = in_two_kinds(mixed);
		printf("%f %ld\n", mixed.real, mixed.integer);
		small = in_three_bytes(small);
		printf("%.3s\n", small.bytes);
		printf("%.18Lf\n", on_x87((long double)round));
		printf("%.18Lf\n", creall(on_x87_twice(round + 2 * I)));
		printf("%f\n", creal(in_xmm_pair(round + 2 * I)));
		wide = in_gpr_pair(wide);
		printf("%llx %llx\n", (unsigned long long)(wide >> 64),
		       (unsigned long long)wide);
		printf("%d\n", negated(round % 2));
		floats = in_vector(floats, floats);
		printf("%f %f\n", (double)floats[0], (double)floats[3]);
	}
	return 0;
}
