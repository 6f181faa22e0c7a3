/* SPDX-License-Identifier: MIT */
/*
 * Code of many kinds, for a probe at each instruction: loops, switches, direct
 * and indirect calls, recursion, floating point, flags that later instructions
 * read, short branches to themselves.
 */
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>

#define ALONE __attribute__((noipa))

static volatile int sink;

ALONE int leaf(int n)
{
	return n * 3 + 1;
}

ALONE int loops(int n)
{
	int sum = 0;

	for (int i = 0; i < n; i++)
		sum += leaf(i) & 7;
	return sum;
}

ALONE int switches(int n)
{
	switch (n % 8) {
	case 0:
		return leaf(n);
	case 1:
		return n * 7;
	case 2:
		sink++;
		return 12;
	case 3:
		return n ^ 0x55;
	case 4:
		return loops(n & 3);
	case 5:
		return -n;
	case 6:
		sink--;
		return 31 * n;
	default:
		return 1;
	}
}

ALONE uint64_t recursion(int n)
{
	return n < 2 ? (uint64_t)n : recursion(n - 1) + recursion(n - 2);
}

static int (*volatile pointer)(int) = leaf;

ALONE int through_pointers(int n)
{
	int (*table[3])(int) = { leaf, loops, switches };

	return pointer(n) + table[n % 3](n);
}

ALONE int by_tail(int n)
{
	return n & 1 ? pointer(n) : switches(n);
}

ALONE double floating(double x, int n)
{
	double sum = 0;

	for (int i = 1; i < n; i++)
		sum += x / i - (double)(i & 3) * 0.25;
	return sum;
}

/*
 * Flags are set before a displaced instruction and read after it. A loop has two
 * instructions.
 */
ALONE uint64_t flags(uint64_t a, uint64_t b)
{
	uint64_t low, high, turns = 5, all;

	__asm__("movq	%[a], %[low]\n\t"
		"xorl	%k[high], %k[high]\n\t"
		"addq	%[b], %[low]\n\t"
		"movl	$7, %k[all]\n\t"
		"adcq	$0, %[high]\n\t"
		"stc\n\t"
		"sbbq	%[all], %[high]\n\t"
		"1:	decq	%%rcx\n\t"
		"jnz	1b\n\t"
		"movl	$3, %%ecx\n\t"
		"2:	loop	2b\n\t"
		"jrcxz	3f\n\t"
		"ud2\n\t"
		"3:	std\n\t"
		"movl	$9, %%ecx\n\t"
		"cld\n\t"
		"cmpq	%[a], %[b]\n\t"
		"leaq	1(%[high]), %[high]\n\t"
		"seta	%b[all]\n\t"
		"seto	%%cl\n\t"
		"leaq	(%[all],%%rcx,2), %[all]\n\t"
		: [low] "=&r"(low), [high] "=&r"(high), [all] "=&r"(all),
		  "+c"(turns)
		: [a] "r"(a), [b] "r"(b)
		: "cc");
	return low ^ high << 8 ^ all << 32;
}

static jmp_buf there;

ALONE int jumps(int n)
{
	int count = setjmp(there);

	if (count < n)
		longjmp(there, count + 1);
	return count;
}

/* Stores values below the stack pointer. */
ALONE uint64_t red_zone(uint64_t a)
{
	volatile uint64_t kept[4] = { a, a * 3, a * 5, a * 7 };
	uint64_t sum = 0;

	for (int i = 0; i < 4; i++)
		sum = sum * 31 + kept[i];
	return sum;
}

int main(void)
{
	uint64_t sum = 0;
	double real = 0;

	for (int i = 0; i < 24; i++) {
		sum = sum * 31 + (uint64_t)loops(i % 5);
		sum = sum * 31 + (uint64_t)switches(i);
		sum = sum * 31 + (uint64_t)through_pointers(i);
		sum = sum * 31 + (uint64_t)by_tail(i);
		sum = sum * 31 + flags(sum << 3, ~sum);
		sum = sum * 31 + red_zone(sum);
		real += floating(i, 6);
	}
	sum += recursion(8) + (uint64_t)jumps(3);
	printf("%016llx %.17g %d\n", (unsigned long long)sum, real, sink);
	return (int)(sum & 63);
}
