// SPDX-License-Identifier: MIT
// Functions that are called from many sites, and how often by each: a line
// "function line calls" of its own counters for each.
#include <atomic>
#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#define ALONE __attribute__((noipa))

enum { LEAF, NEST, TAIL, DOWN, THROW, JUMP, BUSY, FUNCTIONS };
static const char *const names[FUNCTIONS] = { "leaf",	"nest", "tail", "down",
					      "thrower", "jumper", "busy" };
static std::atomic<unsigned long> calls[FUNCTIONS][256];

/* One call, of one line. No caller ends with one, but for tail(). */
#define AT(function) calls[function][__LINE__]++
#define CALL(function, call) (AT(function), (call))
#ifdef __OPTIMIZE__
#define TAIL_CALL(call) (call)
#define CALL_TAIL(call) (AT(TAIL), AT(LEAF), (call))
#else
#define TAIL_CALL(call) CALL(LEAF, call)
#define CALL_TAIL(call) CALL(TAIL, call)
#endif

extern "C" {
ALONE int leaf(int n)
{
	return n + 1;
}

ALONE int nest(int n)
{
	int sum = CALL(LEAF, leaf(n));
	sum += CALL(LEAF, leaf(sum));
	return sum & 0xff;
}

ALONE int tail(int n)
{
	return TAIL_CALL(leaf(n + 2));
}

ALONE int down(int n)
{
	if (n <= 0)
		return CALL(LEAF, leaf(0)) ^ 1;
	if (n % 3)
		return CALL(DOWN, down(n - 1)) ^ 1;
	return CALL(DOWN, down(n - 1)) + CALL(NEST, nest(n));
}

ALONE int thrower(int n)
{
	if (n % 2)
		throw n;
	return CALL(LEAF, leaf(n)) ^ 1;
}

static thread_local jmp_buf landing;

ALONE int jumper(int n)
{
	if (n % 2)
		longjmp(landing, n);
	return CALL(LEAF, leaf(n)) ^ 1;
}

ALONE int busy(int rounds)
{
	volatile int sum = 0;

	for (volatile int i = 0; i < rounds; i = i + 1) {
		sum = sum + CALL(LEAF, leaf(i));
		if (i % 3 == 0)
			sum = sum + CALL(NEST, nest(i));
		if (i % 5 == 0)
			sum = sum + CALL_TAIL(tail(i));
		if (i % 500 == 0)
			sum = sum + CALL(DOWN, down(40));
		try {
			if (i % 7 == 0)
				sum = sum + CALL(THROW, thrower(i));
		} catch (int) {
			sum = sum + CALL(LEAF, leaf(i));
		}
		if (i % 11 == 0) {
			if (!setjmp(landing))
				sum = sum + CALL(JUMP, jumper(i));
			else
				sum = sum + CALL(NEST, nest(i));
		}
	}
	return sum;
}
}

int main(int count, char **arguments)
{
	const int rounds = count > 1 ? atoi(arguments[1]) : 1000;
	std::vector<std::thread> threads;

	for (int i = 0; i < 3; i++)
		threads.emplace_back([=] {
			volatile int sum = CALL(BUSY, busy(rounds));

			sum = sum + 1;
		});
	CALL(BUSY, busy(rounds));
	for (std::thread &thread : threads)
		thread.join();
	for (int f = 0; f < FUNCTIONS; f++)
		for (int line = 0; line < 256; line++)
			if (calls[f][line])
				printf("%s %d %lu\n", names[f], line,
				       calls[f][line].load());
	return 0;
}
