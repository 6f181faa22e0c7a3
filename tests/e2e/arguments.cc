// SPDX-License-Identifier: MIT
// A function that is called with many values, what it calls with each, and how often: a line
// "function value calls" of its own counters for each.
#include <atomic>
#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include <ucontext.h>

#define ALONE __attribute__((noipa))

enum { KINDS = 64 };
static const char *const texts[] = { "red", "green", "blue", "" };
static std::atomic<unsigned long> tells[KINDS], leaves[KINDS], named[4];

extern "C" {
ALONE int leaf(int kind)
{
	leaves[kind]++;
	return kind;
}

static thread_local jmp_buf landing;

/* `how`: 0 it returns, 1 throws, 2 jumps out, 3 calls itself with less. */
ALONE int tell(long kind, const char *text, int how)
{
	volatile int sum = leaf((int)kind);

	if (how == 3 && kind > 0) {
		tells[kind - 1]++;
		named[(kind - 1) % 4]++;
		sum = sum + tell(kind - 1, texts[(kind - 1) % 4], how) + 1;
	}
	sum = sum + leaf((int)kind);
	if (how == 1)
		throw (int)kind;
	if (how == 2)
		longjmp(landing, 1);
	return sum + *text;
}

ALONE int jumps_to_tell(long kind, const char *text, int how)
{
	return tell(kind, text, how);
}

ALONE int once(long kind, int how, int by_tail)
{
	const char *text = texts[kind % 4];

	tells[kind]++;
	named[kind % 4]++;
	try {
		if (setjmp(landing))
			return 1;
		return (by_tail ? jumps_to_tell(kind, text, how)
				: tell(kind, text, how)) +
		       1;
	} catch (int) {
		return 2;
	}
}

static ucontext_t outer, inner;
static char stack[1 << 18];
static long coroutine_kind;

ALONE void coroutine(void)
{
	for (;;) {
		once(coroutine_kind, 0, 0);
		swapcontext(&inner, &outer);
		once(coroutine_kind + 1, 3, 1);
	}
}

ALONE void work(int rounds)
{
	for (int i = 0; i < rounds; i++)
		once(i % 7, i % 4, i % 3 == 0);
	once(KINDS - 1, 3, 0);
}
}

int main(int count, char **arguments)
{
	const int rounds = count > 1 ? atoi(arguments[1]) : 1000;
	std::vector<std::thread> threads;

	for (int i = 0; i < 3; i++)
		threads.emplace_back([=] { work(rounds); });
	work(rounds);
	getcontext(&inner);
	inner.uc_stack.ss_sp = stack;
	inner.uc_stack.ss_size = sizeof(stack);
	makecontext(&inner, coroutine, 0);
	for (int i = 0; i < rounds; i++) {
		coroutine_kind = 20 + i % 3;
		swapcontext(&outer, &inner);
	}
	for (std::thread &thread : threads)
		thread.join();
	for (int i = 0; i < KINDS; i++) {
		printf("tell %d %lu\n", i, tells[i].load());
		printf("leaf %d %lu\n", i, leaves[i].load());
	}
	for (int i = 0; i < 4; i++)
		printf("text \"%s\" %lu\n", texts[i], named[i].load());
	return 0;
}
