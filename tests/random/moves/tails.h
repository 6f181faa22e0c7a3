/* SPDX-License-Identifier: MIT */
/*
 * Tail calls that the functions of program.py cannot make, as these have one
 * argument: with arguments on the stack, which the jump rewrites, and to a
 * function with variable arguments.
 */
#ifndef CLEW_TESTS_RANDOM_TAILS_H
#define CLEW_TESTS_RANDOM_TAILS_H

static PLAYED long tails_last(long a, long b, long c, long d, long e, long f,
			      long g, function body)
{
	ENTER(tails_last);
	a += 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g;
	a += body(a % 1000);
	LEAVE();
	return a % 1000;
}

static PLAYED long tails_second(long a, long b, long c, long d, long e, long f,
				long g, function body)
{
	ENTER(tails_second);
	a += body(g);
	RETURN_CALL(long, tails_last(g, f, e, d, c, b, a, body));
}

static PLAYED long tails_first(long a, long b, long c, long d, long e, long f,
			       long g, function body)
{
	ENTER(tails_first);
	RETURN_CALL(long, tails_second(b, c, d, e, f, g, a, body));
}

TRUTH_INLINE long move_stack_tail(function body, long n)
{
	return tails_first(n, n + 1, n + 2, n + 3, n + 4, n + 5, n + 6, body);
}

static PLAYED long tails_variadic(function body, ...)
{
	va_list list;
	long sum;

	ENTER(tails_variadic);
	va_start(list, body);
	sum = va_arg(list, long);
	sum += (long)va_arg(list, double);
	va_end(list);
	sum += body(sum % 1000);
	LEAVE();
	return sum % 1000;
}

static PLAYED long tails_to_variadic(function body, long n)
{
	ENTER(tails_to_variadic);
#ifdef __clang__ /* musttail excludes variable arguments */
	n = tails_variadic(body, n, (double)n * .5);
	LEAVE();
	return n;
#else
	RETURN_CALL(long, tails_variadic(body, n, (double)n * .5));
#endif
}

TRUTH_INLINE long move_variadic_tail(function body, long n)
{
	return tails_to_variadic(body, n);
}

#endif
