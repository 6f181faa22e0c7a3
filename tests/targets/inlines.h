/* SPDX-License-Identifier: MIT */
/* Code in a header, so that a line table contains more than one file. */
#ifndef CLEW_TESTS_INLINES_H
#define CLEW_TESTS_INLINES_H

static inline int header_inner(int x)
{
	return x * 31 + 7;
}

static inline int header_step(int x)
{
	int y = header_inner(x);

	if (__builtin_expect(y == 12345, 0))
		__builtin_trap();
	return y ^ (y >> 3);
}

#endif
