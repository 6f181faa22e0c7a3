/* SPDX-License-Identifier: MIT */
/*
 * Frames of unknown size and alignment, and control flow that the compiler's
 * usual code does not have: alloca(), arrays of variable length, computed goto.
 */
#ifndef CLEW_TESTS_RANDOM_FRAMES_H
#define CLEW_TESTS_RANDOM_FRAMES_H

static PLAYED long frames_alloca(function body, long n)
{
	volatile char *room =
		(volatile char *)__builtin_alloca((unsigned long)(n & 255) + 1);
	long sum;

	ENTER(frames_alloca);
	room[0] = (char)n;
	sum = body(n);
	sum += room[0];
	LEAVE();
	return sum % 1000;
}

TRUTH_INLINE long move_alloca(function body, long n)
{
	return frames_alloca(body, n);
}

/* Aligned to 64 bytes, so that the frame has two pointers. */
static PLAYED long frames_array(function body, long n)
{
	const long count = (n & 15) + 1;
	long aligned __attribute__((aligned(64)));
	long array[count];

	ENTER(frames_array);
	*(long *volatile *)(void *)&aligned = &aligned;
	for (long i = 0; i < count; i++)
		array[i] = n + i;
	n = body(array[count - 1]) + array[0];
	n += (aligned & 63) == 0;
	LEAVE();
	return n % 1000;
}

TRUTH_INLINE long move_array(function body, long n)
{
	return frames_array(body, n);
}

/* Interprets a small program, which calls the body once. */
static PLAYED long frames_goto(function body, long n)
{
	static const unsigned char code[] = { 0, 1, 2, 0, 1, 3 };
	static const void *const labels[] = { &&add, &&twice, &&call, &&end };
	const unsigned char *at = code;

	ENTER(frames_goto);
	goto *labels[*at++];
add:
	n += 3;
	goto *labels[*at++];
twice:
	n = n * 2 % 1000;
	goto *labels[*at++];
call:
	n += body(n);
	goto *labels[*at++];
end:
	LEAVE();
	return n % 1000;
}

TRUTH_INLINE long move_goto(function body, long n)
{
	return frames_goto(body, n);
}

#endif
