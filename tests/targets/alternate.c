/* SPDX-License-Identifier: MIT */
/*
 * alternate [PROGRAM [ARGUMENT...]]: a handler computes for a while on an
 * alternate stack that has no room for the frame of another handler. The
 * program prints the blocked signals, the action of its signal, and the
 * kernel's mask after the return. Then the same with longjmp(), and with the
 * signal unblocked afterwards. At the end a handler executes the program.
 */
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "tests/targets/spare_stack.h"

#define SPARE   2048
#define BUSY_NS 40000000

static enum { RETURNS, JUMPS, EXECUTES } mode;
static char **program;
static sigset_t blocked;
static int interrupted; /* interrupted waits in the handler */
static jmp_buf landing;

static void burn(void)
{
	struct timespec time;
	int64_t end = 0, now;

	do {
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
		now = time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
		end = end ? end : now + BUSY_NS;
	} while (now < end);
}

static void on_signal(int signal)
{
	const struct timespec moment = { .tv_nsec = 1000000 };
	sigset_t none;

	(void)signal;
	burn();
	sigemptyset(&none);
	interrupted += ppoll(NULL, 0, &moment, &none) != 0;
	interrupted += pselect(0, NULL, NULL, NULL, &moment, &none) != 0;
	sigprocmask(SIG_BLOCK, NULL, &blocked);
	if (mode == JUMPS)
		longjmp(landing, 1);
	if (mode == EXECUTES)
		execvp(program[0], program);
}

static void tell(const char *what, const sigset_t *set)
{
	unsigned long mask;

	memcpy(&mask, set, sizeof(mask));
	printf("%s %lx\n", what, mask);
}

static void tell_all(void)
{
	struct sigaction action;
	sigset_t kernels;

	tell("in the handler", &blocked);
	sigaction(SIGUSR1, NULL, &action);
	tell("of the action", &action.sa_mask);
	sigemptyset(&kernels);
	syscall(SYS_rt_sigprocmask, SIG_BLOCK, NULL, &kernels, 8);
	tell("afterwards", &kernels);
	printf("%d waits interrupted\n", interrupted);
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_handler = on_signal,
				    .sa_flags = SA_ONSTACK };
	sigset_t usr1;

	sigemptyset(&usr1);
	sigaddset(&usr1, SIGUSR1);
	sigaddset(&action.sa_mask, SIGHUP);
	if (use_spare_stack(SPARE) || sigaction(SIGUSR1, &action, NULL))
		return 1;
	raise(SIGUSR1);
	tell_all();
	mode = JUMPS;
	if (!setjmp(landing))
		raise(SIGUSR1);
	sigaddset(&usr1, SIGHUP);
	sigprocmask(SIG_UNBLOCK, &usr1, NULL);
	tell_all();
	fflush(stdout);
	if (argc < 2)
		return 0;
	mode = EXECUTES;
	program = argv + 1;
	raise(SIGUSR1);
	return 2;
}
