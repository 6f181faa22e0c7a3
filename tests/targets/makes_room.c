/* SPDX-License-Identifier: MIT */
/*
 * Functions that call from ever lower addresses of their stack: for arguments
 * that do not fit into registers, for ever larger arrays, and beyond the window
 * of a trace.
 */
#define TRUTH_MAIN
#include "tests/targets/truth.h"

#include <alloca.h>

static COUNTED int inner(int n)
{
	ENTER(inner);
	LEAVE();
	return n + 1;
}

static COUNTED int few(int n)
{
	ENTER(few);
	n = inner(n);
	LEAVE();
	return n;
}

/* The last arguments are pushed. */
static COUNTED int many(int a, int b, int c, int d, int e, int f, int g, int h,
			int i)
{
	ENTER(many);
	a += inner(b + c + d + e + f + g + h + i);
	LEAVE();
	return a;
}

static COUNTED int pushes(int n)
{
	ENTER(pushes);
	n = few(n);
	n = many(n, 1, 2, 3, 4, 5, 6, 7, 8);
	n = few(n);
	n = many(few(n), few(1), 2, 3, 4, 5, 6, 7, few(8));
	LEAVE();
	return n;
}

static COUNTED int grows(int n, int bytes)
{
	ENTER(grows);
	for (int i = 0; i < 8; i++) {
		volatile char *room = (volatile char *)alloca((size_t)bytes);

		room[0] = room[bytes - 1] = 1;
		n = few(n);
	}
	n = inner(n);
	LEAVE();
	return n;
}

int main(void)
{
	int n = 0;

	ENTER(main);
	for (int i = 0; i < 1000; i++) {
		n = pushes(n) & 0xffff;
		n = grows(n, 16 + i * 8) & 0xffff;
		n = few(n);
	}
	printf("%d\n", n);
	LEAVE();
	truth_write();
	return 0;
}
