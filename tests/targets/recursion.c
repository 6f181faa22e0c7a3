/* SPDX-License-Identifier: MIT */
/* Recursion, direct and mutual, and calls through a table of pointers. */
#define TRUTH_MAIN
#define TRUTH_NODES (1 << 20)
#include "tests/targets/truth.h"

#define TABLE_CALLS 100000

static COUNTED unsigned int fib(unsigned int n)
{
	unsigned int sum = n;

	ENTER(fib);
	if (n > 1)
		sum = fib(n - 1) + fib(n - 2);
	LEAVE();
	return sum;
}

static COUNTED unsigned int is_odd(unsigned int n);

static COUNTED unsigned int is_even(unsigned int n)
{
	unsigned int answer = 1;

	ENTER(is_even);
	if (n)
		answer = is_odd(n - 1);
	LEAVE();
	return answer;
}

static COUNTED unsigned int is_odd(unsigned int n)
{
	unsigned int answer = 0;

	ENTER(is_odd);
	if (n)
		answer = is_even(n - 1);
	LEAVE();
	return answer;
}

static COUNTED unsigned int ackermann(unsigned int m, unsigned int n)
{
	unsigned int answer;

	ENTER(ackermann);
	if (!m)
		answer = n + 1;
	else if (!n)
		answer = ackermann(m - 1, 1);
	else
		answer = ackermann(m - 1, ackermann(m, n - 1));
	LEAVE();
	return answer;
}

/*
 * Three functions that call each other in an order that depends on the
 * argument.
 */
static COUNTED unsigned int ring(unsigned int n);

static COUNTED unsigned int left(unsigned int n)
{
	ENTER(left);
	unsigned int sum = n < 2 ? 1 : ring(n / 2) + ring(n / 3);
	LEAVE();
	return sum;
}

static COUNTED unsigned int right(unsigned int n)
{
	ENTER(right);
	unsigned int sum = n < 2 ? 1 : left(n - 1) + ring(n / 2);
	LEAVE();
	return sum;
}

static COUNTED unsigned int ring(unsigned int n)
{
	ENTER(ring);
	unsigned int sum = n % 2 ? left(n) : right(n);
	LEAVE();
	return sum;
}

/* Short functions, which call no other function. */
#define LEAF(name, expression)                                                 \
	static COUNTED unsigned int name(unsigned int n)                       \
	{                                                                      \
		ENTER(name);                                                   \
		n = expression;                                                \
		LEAVE();                                                       \
		return n;                                                      \
	}
LEAF(add, n + 1)
LEAF(twice, n * 2)
LEAF(half, n / 2)
LEAF(square, n *n)

static COUNTED unsigned int through_table(unsigned int calls)
{
	static unsigned int (*const table[])(unsigned int) = {
		add, twice, half, square, fib,
	};
	unsigned int sum = 0;

	ENTER(through_table);
	for (unsigned int i = 0; i < calls; i++)
		sum += table[i * 7919 % 5](i % 4);
	LEAVE();
	return sum;
}

int main(void)
{
	ENTER(main);
	printf("fib %u\n", fib(20));
	printf("even %u odd %u\n", is_even(301), is_odd(301));
	printf("ackermann %u\n", ackermann(2, 9));
	printf("ring %u\n", ring(300));
	printf("table %u\n", through_table(TABLE_CALLS));
	LEAVE();
	truth_write();
	return 0;
}
