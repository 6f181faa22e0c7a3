/* SPDX-License-Identifier: MIT */
/*
 * A program that is not run. The program is small, so that damage mostly meets
 * its debug information, and has all kinds of it that a reader must understand.
 */
static int calls;

static inline __attribute__((always_inline)) int step(int x)
{
	if (__builtin_expect(x < 0, 0))
		calls++;
	return x * 3 + calls;
}

static inline __attribute__((always_inline)) int twice(int x)
{
	return step(x) + step(x + 1);
}

static __attribute__((noinline, cold)) void rare(int x)
{
	calls += twice(x);
}

__attribute__((noinline)) int apply(const int *from, int count)
{
	int sum = 0;

	for (int i = 0; i < count; i++) {
		if (__builtin_expect(from[i] == 7, 0))
			rare(sum);
		sum += twice(from[i]);
	}
	return sum;
}

int main(int argc, char **argv)
{
	return apply(&argc, 1) + (argv[0][0] ? twice(argc) : 0);
}
