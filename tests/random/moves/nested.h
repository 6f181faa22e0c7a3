/* SPDX-License-Identifier: MIT */
/*
 * Nested functions of gcc's C: called through a trampoline on the stack, with
 * a static chain in r10, and left by a goto into the function around them.
 * Elsewhere the moves call their body.
 */
#ifndef CLEW_TESTS_RANDOM_NESTED_H
#define CLEW_TESTS_RANDOM_NESTED_H

#if defined(__clang__) || defined(__cplusplus)

TRUTH_INLINE long move_nested(function body, long n)
{
	return body(n);
}

TRUTH_INLINE long move_goto_out(function body, long n)
{
	return body(n);
}

#else

/* Only the stacks of threads are executable. */
#define NESTED_FITS() (!play.now.is_small)

/* The address of a nested function is that of its trampoline. */
extern const char nested_inner[] __asm__("nested_inner.code");
extern const char nested_leaver[] __asm__("nested_leaver.code");

static PLAYED long nested_call(function inner, long n)
{
	ENTER(nested_call);
	n += inner(n);
	LEAVE();
	return n;
}

static PLAYED long nested_outer(function body, long n)
{
	long sum = 0;
	auto long inner(long m) __asm__("nested_inner.code");

	__attribute__((noipa)) long inner(long m)
	{
		ENTER(nested_inner);
		sum += body(m);
		LEAVE();
		return sum;
	}

	ENTER(nested_outer);
	n = nested_call(inner, n) + sum;
	n += inner(n % 1000);
	LEAVE();
	return n % 1000;
}

TRUTH_INLINE long move_nested(function body, long n)
{
	return NESTED_FITS() ? nested_outer(body, n) : body(n);
}

static PLAYED long nested_left(function body, long n)
{
	__label__ out;
	struct surroundings volatile outer;
	volatile uint32_t here;
	volatile long sum = n;
	auto long leaver(long m) __asm__("nested_leaver.code");

	__attribute__((noipa)) long leaver(long m)
	{
		ENTER(nested_leaver);
		sum += body(m);
		if (sum & 1)
			goto out;
		LEAVE();
		return m;
	}

	ENTER(nested_left);
	here = TRUTH_HERE;
	memcpy((void *)(uintptr_t)&outer, &play.now, sizeof(outer));
	sum += nested_call(leaver, n);
out:
	memcpy(&play.now, (void *)(uintptr_t)&outer, sizeof(outer));
	TRUTH_HERE = here;
	LEAVE();
	return sum % 1000;
}

TRUTH_INLINE long move_goto_out(function body, long n)
{
	return NESTED_FITS() ? nested_left(body, n) : body(n);
}

#endif
#endif
