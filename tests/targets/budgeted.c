/* SPDX-License-Identifier: MIT */
/*
 * A program for --budget. Without clew, no mode waits for a change of hooks.
 *
 *	budgeted hot	calls a leaf until it is no longer hooked, and a while
 *			longer
 *	    back	then rarely calls it, until it is hooked again
 *	    fork	then forks, and the child calls it
 *	    asked	does so for each 'h' that it reads; for each '?' it
 *			prints whether the leaf is hooked; for each 's' it
 *			calls the leaf a few times in a second
 *	budgeted sleepy	the same with a longer leaf, which it then calls now
 *			and then between sleeps
 *	    killed	the same, and kills itself at the end
 *	budgeted steady	calls a leaf until it was hooked again several times
 *	    light	the same with a leaf that does almost nothing, so that
 *			clew takes most of the time while it is hooked
 */
#define TRUTH_MAIN
#include "tests/targets/truth.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#define CALLS      200000
#define TURNS      200
#define SPINS      3000000
#define SLOW_TURNS 100
#define NAPS       50
#define NAP_NS     25000000
#define LONG_CALLS 8000
#define LONG_SPINS 200
#define FEW_CALLS  1000
#define SURVEYS    4

static COUNTED unsigned long leaf(unsigned long n)
{
	COUNT(leaf);
	return n * 3 + 1;
}

static COUNTED unsigned long outer(unsigned long n)
{
	COUNT(outer);
	for (int i = 0; i < CALLS; i++)
		n = leaf(n);
	return n;
}

static COUNTED unsigned long spin(unsigned long n)
{
	COUNT(spin);
	for (int i = 0; i < SPINS; i++)
		n = n * 5 + (n >> 7);
	return leaf(n);
}

static COUNTED unsigned long long_leaf(unsigned long n)
{
	COUNT(long_leaf);
	for (int i = 0; i < LONG_SPINS; i++)
		n = n * 5 + (n >> 7);
	return n;
}

static COUNTED unsigned long long_outer(unsigned long n)
{
	COUNT(long_outer);
	for (int i = 0; i < LONG_CALLS; i++)
		n = long_leaf(n);
	return n;
}

/*
 * Returns whether the function begins with this byte: 0xe9 is a jump, 0xcc a
 * breakpoint, which exists while the jump is written.
 */
static int starts_with(const void *function, unsigned char code)
{
	return *(const volatile unsigned char *)function == code;
}

static int has(unsigned char code)
{
	return starts_with((const void *)leaf, code);
}

static unsigned long be_sleepy(unsigned long n)
{
	const void *function = (const void *)long_leaf;
	const int is_recorded = starts_with(function, 0xe9);

	while (is_recorded &&
	       (starts_with(function, 0xe9) || starts_with(function, 0xcc)))
		n = long_outer(n);
	for (int i = 0; i < NAPS; i++) {
		nanosleep(&(struct timespec){ .tv_nsec = NAP_NS }, NULL);
		n = long_outer(n);
	}
	return n;
}

static unsigned long be_hot(unsigned long n)
{
	const int is_recorded = has(0xe9);

	while (is_recorded && (has(0xe9) || has(0xcc)))
		n = outer(n);
	for (int i = 0; i < TURNS; i++)
		n = outer(n);
	return n;
}

static unsigned long be_slow(unsigned long n)
{
	for (int i = 0; i < SLOW_TURNS; i++)
		n = spin(n);
	return n;
}

static unsigned long be_asked(unsigned long n)
{
	int what;

	while ((what = getchar()) != EOF) {
		if (what == 'h')
			n = be_hot(n);
		else if (what == 's')
			n = be_slow(n);
		else if (what == '?')
			puts(has(0xe9) ? "hooked" : "not hooked");
		fflush(stdout);
	}
	return n;
}

static unsigned long be_quiet(unsigned long n, int is_recorded)
{
	do
		n = spin(n);
	while (is_recorded && !has(0xe9));
	return n;
}

static COUNTED unsigned long step(unsigned long n)
{
	COUNT(step);
	for (int i = 0; i < FEW_CALLS; i++)
		n = leaf(n);
	return n;
}

TRUTH_TOTAL(light_leaf);

/* The caller counts this function. */
static COUNTED unsigned long light_leaf(unsigned long n)
{
	return n * 3 + 1;
}

static COUNTED unsigned long light_step(unsigned long n)
{
	COUNT(light_step);
	for (int i = 0; i < FEW_CALLS; i++)
		n = light_leaf(n);
	__atomic_fetch_add(&total_of_light_leaf.calls, FEW_CALLS,
			   __ATOMIC_RELAXED);
	return n;
}

/* Makes steps until the leaf was hooked again SURVEYS times and unhooked. */
static unsigned long be_steady(unsigned long (*one_step)(unsigned long n),
			       const void *its_leaf, unsigned long n)
{
	const int is_recorded = starts_with(its_leaf, 0xe9);
	int was_in = 1, times = 0;

	do {
		const int is_in = starts_with(its_leaf, 0xe9);

		for (int i = 0; i < 10; i++)
			n = one_step(n);
		times += is_in && !was_in;
		was_in = is_in || (was_in && starts_with(its_leaf, 0xcc));
	} while (is_recorded && (times < SURVEYS || was_in));
	return n;
}

static unsigned long be_light(unsigned long n)
{
	LIST(light_leaf);
	return be_steady(light_step, (const void *)light_leaf, n);
}

static int in_child(unsigned long n)
{
	int status = -1;
	const int pid = fork();

	if (pid == 0) {
		TRUTH_FORKED();
		n = outer(n);
		truth_write();
		_exit(n == 7);
	}
	waitpid(pid, &status, 0);
	return status;
}

int main(int argc, char **argv)
{
	const int is_recorded = has(0xe9);
	const char *what = argc > 1 ? argv[1] : "hot";
	unsigned long n = (unsigned long)argc;

	COUNT(main);
	if (strcmp(what, "sleepy") == 0 || strcmp(what, "killed") == 0)
		n = be_sleepy(n);
	else if (strcmp(what, "steady") == 0)
		n = be_steady(step, (const void *)leaf, n);
	else if (strcmp(what, "light") == 0)
		n = be_light(n);
	else if (strcmp(what, "asked") == 0)
		n = be_asked(n);
	else
		n = be_hot(n);
	if (strcmp(what, "back") == 0)
		n = be_quiet(n, is_recorded);
	if (strcmp(what, "fork") == 0 && in_child(n) != 0)
		puts("the child failed");
	puts(n == 7 ? "lucky" : "done");
	truth_write();
	if (strcmp(what, "killed") == 0) {
		fflush(stdout);
		raise(SIGKILL);
	}
	return 0;
}
