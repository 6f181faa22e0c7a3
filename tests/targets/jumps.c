/* SPDX-License-Identifier: MIT */
/*
 * longjmp and siglongjmp over counted frames; contexts must be exact
 * afterwards.
 */
#define TRUTH_MAIN
#include "tests/targets/truth.h"

#include <setjmp.h>
#include <signal.h>

static jmp_buf landing;
static sigjmp_buf signal_landing;

static COUNTED void after(void)
{
	ENTER(after);
	LEAVE();
}

static COUNTED void jumps(int depth, int value)
{
	ENTER(jumps);
	if (depth)
		jumps(depth - 1, value);
	else if (value)
		longjmp(landing, value);
	LEAVE();
}

static COUNTED int lands(int depth)
{
	volatile uint32_t here;
	int value;

	ENTER(lands);
	here = TRUTH_HERE;
	value = setjmp(landing);
	if (!value)
		jumps(depth, depth + 1);
	TRUTH_HERE = here;
	after();
	LEAVE();
	return value;
}

/* The callers of the function that lands must also stay correct. */
static COUNTED int outer(int depth)
{
	ENTER(outer);
	int value = depth % 3 ? outer(depth - 1) : lands(depth);
	after();
	LEAVE();
	return value;
}

static COUNTED void on_signal(int signal)
{
	ENTER(on_signal);
	siglongjmp(signal_landing, 1);
}

static COUNTED void lands_from_handler(void)
{
	volatile uint32_t here;

	ENTER(lands_from_handler);
	here = TRUTH_HERE;
	if (!sigsetjmp(signal_landing, 1))
		raise(SIGUSR1);
	TRUTH_HERE = here;
	after();
	LEAVE();
}

int main(void)
{
	int sum = 0;

	ENTER(main);
	for (int i = 0; i < 300; i++)
		sum += outer(i % 40);
	signal(SIGUSR1, on_signal);
	for (int i = 0; i < 300; i++)
		lands_from_handler();
	after();
	printf("sum %d\n", sum);
	LEAVE();
	truth_write();
	return 0;
}
