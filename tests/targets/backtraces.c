/* SPDX-License-Identifier: MIT */
/*
 * Prints backtrace() from below counted frames, also on a signal stack in .bss,
 * where functions of other depths have run before. Only addresses in this
 * executable are printed, relative to it, so the output with and without clew
 * must be the same.
 */
#define TRUTH_MAIN
#include "tests/targets/truth.h"

#include <execinfo.h>
#include <signal.h>

#define FRAMES 128

extern const char __executable_start[];
extern const char __etext[];

static COUNTED void print_frames(void)
{
	void *frames[FRAMES];
	int count;

	ENTER(print_frames);
	count = backtrace(frames, FRAMES);
	for (int i = 0; i < count; i++) {
		const char *pc = frames[i];

		if (pc >= __executable_start && pc < __etext)
			printf(" %zx", (size_t)(pc - __executable_start));
	}
	putchar('\n');
	LEAVE();
}

static COUNTED int inner(int n)
{
	ENTER(inner);
	if (n)
		n = inner(n - 1) + 1;
	else
		print_frames();
	LEAVE();
	return n;
}

static COUNTED int compare(const void *left, const void *right)
{
	ENTER(compare);
	inner(3);
	LEAVE();
	return *(const int *)left - *(const int *)right;
}

static COUNTED void on_signal(int signal)
{
	ENTER(on_signal);
	(void)signal;
	for (int i = 0; i < 6; i++)
		inner(i * 2 % 7);
	LEAVE();
}

static COUNTED void on_signal_stack(void)
{
	static char memory[1 << 17];
	struct sigaction action = { .sa_handler = on_signal,
				    .sa_flags = SA_ONSTACK };
	const stack_t stack = { .ss_sp = memory, .ss_size = sizeof(memory) };

	ENTER(on_signal_stack);
	sigaltstack(&stack, NULL);
	sigaction(SIGUSR1, &action, NULL);
	raise(SIGUSR1);
	LEAVE();
}

int main(void)
{
	int pair[2] = { 2, 1 };

	ENTER(main);
	for (int i = 0; i < 20; i++)
		inner(i);
	qsort(pair, 2, sizeof(pair[0]), compare);
	on_signal_stack();
	LEAVE();
	truth_write();
	return 0;
}
