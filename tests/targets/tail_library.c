/* SPDX-License-Identifier: MIT */
/* The library's side of tail.c. */
#include "tests/targets/tail.h"

COUNTED long tail_library_inner(long n, tail_function back);

/* Exported and not bound locally, so this jump goes through the PLT too. */
COUNTED long tail_library_inner(long n, tail_function back)
{
	ENTER(tail_library_inner);
	TAIL();
	return back(n);
}

COUNTED long tail_library(long n, tail_function back)
{
	ENTER(tail_library);
	TAIL();
	return tail_library_inner(n - 1, back);
}

COUNTED long tail_library_tree(long depth, tail_function back)
{
	long sum;

	ENTER(tail_library_tree);
	if (depth == 0) {
		TAIL();
		return tail_library(3, back);
	}
	sum = tail_library_tree(depth - 1, back) +
	      tail_library_tree(depth - 1, back);
	LEAVE();
	return sum;
}
