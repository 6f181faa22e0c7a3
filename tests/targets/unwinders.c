/* SPDX-License-Identifier: MIT */
/*
 * Prints the program's frames according to unwinders, below plain calls, a
 * callback of libc and a signal handler. The output with and without clew must
 * be the same. Addresses in this executable are printed relative to it.
 */
#define UNW_LOCAL_ONLY
#include <libunwind.h>

#include <execinfo.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unwind.h>

#ifdef __clang__
#define KEPT __attribute__((noinline))
#else
#define KEPT __attribute__((noipa))
#endif

#define FRAMES 128

extern const char __executable_start[], etext[];

static void *frames[FRAMES];
static int count;

static void print(const char *what)
{
	printf("%s", what);
	for (int i = 0; i < count; i++) {
		const char *pc = frames[i];

		if (pc >= __executable_start && pc < etext)
			printf(" %zx", (size_t)(pc - __executable_start));
		else
			printf(" -");
	}
	putchar('\n');
}

static _Unwind_Reason_Code see(struct _Unwind_Context *context, void *unused)
{
	(void)unused;
	if (count < FRAMES)
		frames[count++] = (void *)_Unwind_GetIP(context);
	return _URC_NO_REASON;
}

static void step(void)
{
	unw_context_t context;
	unw_cursor_t cursor;

	count = 0;
	unw_getcontext(&context);
	unw_init_local(&cursor, &context);
	do {
		unw_word_t pc;

		unw_get_reg(&cursor, UNW_REG_IP, &pc);
		frames[count++] = (void *)pc;
	} while (count < FRAMES && unw_step(&cursor) > 0);
}

static KEPT void show(void)
{
	count = backtrace(frames, FRAMES);
	print("backtrace");
	count = backtrace(frames, 3);
	print("three");
	count = backtrace(frames, 0);
	print("none");
	count = unw_backtrace(frames, FRAMES);
	print("unw_backtrace");
	count = 0;
	_Unwind_Backtrace(see, NULL);
	print("_Unwind_Backtrace");
	step();
	print("unw_step");
}

static KEPT int inner(int n)
{
	if (n)
		return inner(n - 1) + 1;
	show();
	return 0;
}

static KEPT int compare(const void *left, const void *right)
{
	inner(3);
	return *(const int *)left - *(const int *)right;
}

static KEPT void on_signal(int signal)
{
	inner(2);
	(void)signal;
}

int main(void)
{
	int pair[2] = { 2, 1 };

	inner(0);
	inner(20);
	qsort(pair, 2, sizeof(pair[0]), compare);
	signal(SIGUSR1, on_signal);
	raise(SIGUSR1);
	return 0;
}
