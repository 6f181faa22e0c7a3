/* SPDX-License-Identifier: MIT */
/* Functions that a linker merges with --icf=all, and functions that have aliases. */
#include <cstdio>

#define NOINLINE __attribute__((noinline))

struct First {
	NOINLINE long twice(long x)
	{
		asm volatile("");
		return x * 5 + 1;
	}
};

struct Second {
	NOINLINE long twice(long x)
	{
		asm volatile("");
		return x * 5 + 1;
	}
};

template <int> struct Many {
	static NOINLINE long one(long x)
	{
		asm volatile("");
		return x * 3 + 1;
	}
};

/* Its constructor and destructor have two symbols each. */
struct Base {
	int item;
	NOINLINE Base() : item(1)
	{
		asm volatile("");
	}
	NOINLINE ~Base()
	{
		asm volatile("" : : "r"(item));
	}
};

extern "C" {
NOINLINE long add(long x)
{
	asm volatile("");
	return x * 7 + 3;
}
NOINLINE long increase(long x)
{
	asm volatile("");
	return x * 7 + 3;
}
NOINLINE long __plain(long x)
{
	asm volatile("");
	return x * 11 + 3;
}
long plain(long x) __attribute__((weak, alias("__plain")));
long __GI_plain(long x) __attribute__((alias("__plain")));
long weaker(long x) __attribute__((weak, alias("__plain")));
}

int main()
{
	First first;
	Second second;
	Base base;
	long sum = base.item;

	for (int i = 0; i < 10; i++) {
		sum += first.twice(i) + 2 * second.twice(i) + add(i) +
		       3 * increase(i) + plain(i) + weaker(i);
		sum += Many<1>::one(i) + Many<2>::one(i) + Many<3>::one(i) +
		       Many<4>::one(i) + Many<5>::one(i);
	}
	std::printf("%ld\n", sum);
}
