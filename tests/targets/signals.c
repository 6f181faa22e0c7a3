/* SPDX-License-Identifier: MIT */
/*
 * Handlers that make counted calls, on the normal and on an alternate stack. A
 * raised signal arrives at a known point, so its contexts are exact. A timer's
 * signal may arrive anywhere, so only its sums are exact.
 */
#define TRUTH_MAIN
#include "tests/targets/truth.h"

#include <signal.h>
#include <string.h>
#include <sys/time.h>

#define RAISES 1000
#define TICKS  200

static volatile sig_atomic_t ticks;

static COUNTED int in_handler(int n)
{
	ENTER(in_handler);
	n = n > 0 ? in_handler(n - 1) + 1 : 0;
	LEAVE();
	return n;
}

static COUNTED void on_raise(int signal)
{
	ENTER(on_raise);
	in_handler(signal % 4);
	LEAVE();
}

/* Nested: raises another signal inside the handler. */
static COUNTED void on_raise_nested(int signal)
{
	ENTER(on_raise_nested);
	raise(SIGUSR1);
	LEAVE();
}

static COUNTED void raises(int signal, int depth)
{
	ENTER(raises);
	if (depth)
		raises(signal, depth - 1);
	else
		raise(signal);
	LEAVE();
}

static COUNTED unsigned int spin(unsigned int n)
{
	COUNT(spin);
	if (n < 2)
		return n;
	/* volatile, or the second call would become a loop */
	volatile unsigned int sum = spin(n - 1) + spin(n - 2);
	return sum;
}

static COUNTED void tick_work(void)
{
	COUNT(tick_work);
}

static COUNTED void on_tick(int signal)
{
	COUNT(on_tick);
	tick_work();
	ticks++;
}

TRUTH_INLINE void handle(int signal, void (*handler)(int), int flags)
{
	struct sigaction action;

	memset(&action, 0, sizeof(action));
	action.sa_handler = handler;
	action.sa_flags = flags;
	sigaction(signal, &action, NULL);
}

TRUTH_INLINE void run_timer(int flags)
{
	struct itimerval interval = { { 0, 500 }, { 0, 500 } };
	struct itimerval never = { { 0, 0 }, { 0, 0 } };

	ticks = 0;
	handle(SIGPROF, on_tick, flags);
	setitimer(ITIMER_PROF, &interval, NULL);
	while (ticks < TICKS)
		spin(15);
	setitimer(ITIMER_PROF, &never, NULL);
	handle(SIGPROF, SIG_IGN, 0);
}

int main(void)
{
	static char alternate[64 * 1024];
	stack_t stack = { .ss_sp = alternate, .ss_size = sizeof(alternate) };

	ENTER(main);
	sigaltstack(&stack, NULL);
	for (int on_stack = 0; on_stack < 2; on_stack++) {
		int flags = on_stack ? SA_ONSTACK : 0;

		handle(SIGUSR1, on_raise, flags);
		handle(SIGUSR2, on_raise_nested, flags);
		for (int i = 0; i < RAISES; i++) {
			raises(SIGUSR1, i % 5);
			raises(SIGUSR2, i % 3);
		}
		run_timer(flags);
	}
	puts("done");
	LEAVE();
	truth_write();
	return 0;
}
