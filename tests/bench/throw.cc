/* SPDX-License-Identifier: MIT */
/*
 * throw N: throws N exceptions, each through ten frames. Prints their number.
 */
#include <cstdio>
#include <cstdlib>

#ifdef __clang__
#define KEPT __attribute__((noinline))
#else
#define KEPT __attribute__((noipa))
#endif

namespace
{

KEPT int descend(int depth)
{
	if (!depth)
		throw depth;
	int below = descend(depth - 1);

	/* keeps the recursion from becoming a loop */
	__asm__ volatile("" : "+r"(below));
	return below;
}

KEPT int land(int depth)
{
	try {
		return descend(depth);
	} catch (int caught) {
		return caught;
	}
}

} // namespace

int main(int argc, char **argv)
{
	long count = argc > 1 ? std::atol(argv[1]) : 1;

	for (long i = 0; i < count; i++)
		land(9);
	std::printf("throws %ld\n", count);
	return 0;
}
