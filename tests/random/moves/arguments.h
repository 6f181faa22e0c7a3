/* SPDX-License-Identifier: MIT */
/*
 * Arguments and results of all classes of the calling convention, and other
 * calling conventions. Each callee computes a value from all its arguments, so
 * that a register that changes on the way changes the output.
 */
#ifndef CLEW_TESTS_RANDOM_ARGUMENTS_H
#define CLEW_TESTS_RANDOM_ARGUMENTS_H

#include <cpuid.h>
#include <stdarg.h>

#if __has_attribute(preserve_most)
#define PRESERVE_MOST __attribute__((preserve_most))
#else
#define PRESERVE_MOST
#endif
#if __has_attribute(regcall)
#define REGCALL __attribute__((regcall))
#else
#define REGCALL
#endif

static PLAYED long arguments_variadic(function body, int count, ...)
{
	va_list list;
	long sum = 0;

	ENTER(arguments_variadic);
	va_start(list, count);
	while (count-- > 0) {
		sum += va_arg(list, long);
		sum += (long)va_arg(list, double);
	}
	va_end(list);
	sum += body(sum % 1000);
	LEAVE();
	return sum % 1000;
}

TRUTH_INLINE long move_varargs(function body, long n)
{
	return arguments_variadic(body, 6, n, .5 + (double)n, n + 1, 2.5, n + 2,
				  3.5, n + 3, 4.5, n + 4, 5.5, 9L, 1e3);
}

struct arguments_large {
	long words[7];
};
struct arguments_mixed {
	long word;
	double real;
};

static PLAYED struct arguments_mixed arguments_small(struct arguments_mixed in,
						     function body)
{
	ENTER(arguments_small);
	in.word += body(in.word);
	in.real *= 2;
	LEAVE();
	return in;
}

static PLAYED struct arguments_large arguments_memory(struct arguments_large in,
						      function body, long n)
{
	struct arguments_mixed mixed = { n, (double)n };

	ENTER(arguments_memory);
	mixed = arguments_small(mixed, body);
	in.words[3] += mixed.word;
	in.words[6] += (long)mixed.real;
	LEAVE();
	return in;
}

TRUTH_INLINE long move_structs(function body, long n)
{
	struct arguments_large large = { { 1, 2, 3, n, 5, 6, 7 } };

	large = arguments_memory(large, body, n);
	return (large.words[0] + large.words[3] + large.words[6]) % 1000;
}

/* The results are in rdx:rax and on the x87 stack. */
static PLAYED __int128 arguments_wide(__int128 a, long b, __int128 c,
				      function body)
{
	ENTER(arguments_wide);
	a = (a << 3) + c + body(b);
	LEAVE();
	return a;
}

static PLAYED long double arguments_x87(long double a, long n, function body)
{
	ENTER(arguments_x87);
	a = a * 2 + (long double)body(n);
	LEAVE();
	return a;
}

static PLAYED _Complex long double arguments_two_x87(long double a,
						     function body, long n)
{
	_Complex long double both;

	ENTER(arguments_two_x87);
	__real__ both = a + (long double)body(n);
	__imag__ both = a - 1;
	LEAVE();
	return both;
}

TRUTH_INLINE long move_wide(function body, long n)
{
	const __int128 wide = arguments_wide((__int128)n << 70, n, n, body);
	const _Complex long double both =
		arguments_two_x87((long double)n, body, n);

	return ((long)(wide >> 73) + (long)wide +
		(long)arguments_x87((long double)n, n, body) +
		(long)__real__ both + (long)__imag__ both) %
	       1000;
}

typedef int arguments_vector __attribute__((vector_size(16)));
typedef double arguments_doubles __attribute__((vector_size(32)));

static PLAYED arguments_vector arguments_vectors(arguments_vector a, double b,
						 arguments_vector c, float d,
						 function body)
{
	ENTER(arguments_vectors);
	a += c * (int)b;
	a[2] += (int)d + (int)body((long)a[1]);
	LEAVE();
	return a;
}

static PLAYED __attribute__((target("avx"))) long arguments_avx(
	arguments_doubles a, arguments_doubles b, function body)
{
	long sum;

	ENTER(arguments_avx);
	a += b;
	sum = (long)(a[0] + a[3]);
	sum += body(sum % 1000);
	LEAVE();
	return sum % 1000;
}

static PLAYED __attribute__((target("avx"))) long arguments_call_avx(
	function body, long n)
{
	const arguments_doubles a = { (double)n, 2, 3, 4 };
	long sum;

	ENTER(arguments_call_avx);
	sum = arguments_avx(a, a, body);
	LEAVE();
	return sum;
}

/*
 * Returns whether the processor has AVX and the kernel saves its registers.
 * __builtin_cpu_supports() would link functions of libgcc into the module,
 * whose calls the truth does not contain.
 */
TRUTH_INLINE int has_avx(void)
{
	unsigned int a, b, c, d;

	__cpuid(1, a, b, c, d);
	if ((c & (bit_AVX | bit_OSXSAVE)) != (bit_AVX | bit_OSXSAVE))
		return 0;
	__asm__ volatile("xgetbv" : "=a"(a), "=d"(d) : "c"(0));
	return (a & 6) == 6;
}

TRUTH_INLINE long move_vectors(function body, long n)
{
	const arguments_vector a = { 1, (int)n, 3, 4 };
	long sum;

	sum = arguments_vectors(a, 3, a, 5, body)[2];
	if (has_avx())
		sum += arguments_call_avx(body, n);
	return sum % 1000;
}

static PLAYED __attribute__((ms_abi)) long arguments_ms(long a, double b,
							long c, double d,
							long e, function body)
{
	ENTER(arguments_ms);
	a += 2 * (long)b + 3 * c + (long)d + e;
	a += body(a % 1000);
	LEAVE();
	return a % 1000;
}

static PLAYED PRESERVE_MOST long arguments_preserved(long a, function body)
{
	ENTER(arguments_preserved);
	a += body(a);
	LEAVE();
	return a;
}

static PLAYED REGCALL long arguments_registers(long a, long b, long c, long d,
					       long e, long f, long g, long h,
					       function body)
{
	ENTER(arguments_registers);
	a += b * c + d * e + f * g - h;
	a += body(a % 1000);
	LEAVE();
	return a % 1000;
}

TRUTH_INLINE long move_conventions(function body, long n)
{
	return arguments_ms(n, 1.5, n + 1, 2.5, 4, body) +
	       arguments_preserved(n, body) +
	       arguments_registers(n, 2, 3, 4, 5, 6, 7, 8, body);
}

#endif
