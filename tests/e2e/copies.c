/* SPDX-License-Identifier: MIT */
/* Lines that compilers copy: work() is inlined twice, and exists by itself. */
#define NOINLINE __attribute__((noinline))

static volatile int sink;
static int (*volatile pointer)(int);

static inline __attribute__((always_inline)) int part(int x)
{
	sink += x; /* the line of part() */
	return x;
}

static int work(int x)
{
	int y = part(x) * 3;

	sink = y; /* the line of work() */
	return y;
}

static NOINLINE int one(int x)
{
	return work(x) + 1;
}

static NOINLINE int two(int x)
{
	return work(x) + 2;
}

int main(void)
{
	int kept = 0;

	pointer = work;
	for (int i = 0; i < 100; i++) {
		one(i);
		two(i);
		two(i);
		pointer(i);
		kept += part(i); /* x is in another register there */
	}
	sink = kept;
	return 0;
}
