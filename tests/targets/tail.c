/* SPDX-License-Identifier: MIT */
/*
 * Tail calls: to another function, in a circle, through a pointer, to itself,
 * from inside itself, and through the PLT into a library that tail-calls back.
 * The build checks that the compiler has generated jumps.
 */
#define TRUTH_MAIN
#include "tests/targets/tail.h"

static COUNTED long ping(long n);

static COUNTED long last(long n)
{
	ENTER(last);
	n = n * 3 + 1;
	LEAVE();
	return n;
}

static COUNTED long pong(long n)
{
	ENTER(pong);
	if (n % 5 == 0) {
		TAIL();
		return last(n);
	}
	TAIL();
	return ping(n - 1);
}

static COUNTED long ping(long n)
{
	ENTER(ping);
	TAIL();
	return pong(n - 1);
}

static COUNTED long through_pointer(long n, tail_function to)
{
	ENTER(through_pointer);
	TAIL();
	return to(n);
}

/* A function that is called and then tail-calls: both kinds on one stack. */
static COUNTED long mixed(long n)
{
	long sum = 0;

	ENTER(mixed);
	if (n > 0)
		sum = ping(n) + mixed(n / 2);
	LEAVE();
	return sum + n;
}

/* The library jumps back to this function, by a pointer in its argument. */
static COUNTED long come_back(long n)
{
	ENTER(come_back);
	if (n <= 0) {
		TAIL();
		return last(n);
	}
	TAIL();
	return tail_library(n - 1, come_back);
}

static volatile tail_function pointer;

/* Tail-calls itself by a pointer, so that the compiler creates no loop. */
static COUNTED long itself(long n)
{
	ENTER(itself);
	if (n <= 0) {
		LEAVE();
		return n;
	}
	TAIL();
	return pointer(n - 1);
}

static volatile tail_function own_pointer;

/*
 * Calls itself, and then jumps to itself. The inner call jumps first, in its
 * own context. This context is then one that the outer one may jump to.
 */
static COUNTED long calls_itself(long n)
{
	ENTER(calls_itself);
	if (n <= 0) {
		LEAVE();
		return n;
	}
	n += own_pointer(n - 2);
	TAIL();
	return own_pointer(n / 2 - 1);
}

/* A function without symbol and unwind information, so it is not hooked. */
long past_it(long n, tail_function to);
__asm__(".text\n"
	"past_it:\n"
	"	jmp *%rsi\n");

static COUNTED long to_itself_past_it(long n)
{
	ENTER(to_itself_past_it);
	if (n <= 0) {
		LEAVE();
		return n;
	}
	TAIL();
	return past_it(n - 1, to_itself_past_it);
}

static COUNTED long go(long n)
{
	ENTER(go);
	TAIL();
	return tail_library(n, come_back);
}

int main(void)
{
	long sum = 0;

	ENTER(main);
	for (long i = 0; i < 1000; i++)
		sum += ping(i);
	for (long i = 0; i < 1000; i++)
		sum += through_pointer(i, i % 2 ? pong : last);
	for (long i = 0; i < 100; i++)
		sum += go(i % 10);
	pointer = itself;
	own_pointer = calls_itself;
	sum += calls_itself(9);
	for (long i = 0; i < 100; i++)
		sum += itself(i) + to_itself_past_it(i);
	sum += mixed(1000);
	sum += tail_library_tree(9, come_back);
	printf("sum %ld\n", sum);
	LEAVE();
	truth_write();
	return 0;
}
