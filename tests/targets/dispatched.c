/* SPDX-License-Identifier: MIT */
/*
 * dispatched [syscall|many|fork|always]: works while its system calls are
 * redirected to its own handler, which must see only the program's own calls;
 * it prints their number. `syscall` enables this by syscall(). `many` works in
 * more contexts than clew can have prepared for. `fork` continues in a child,
 * which is not redirected. `always` has no selector, so it only works until it
 * makes a call.
 */
#define TRUTH_MAIN
#define TRUTH_NODES (1 << 20)
#include "tests/targets/truth.h"

#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifndef PR_SET_SYSCALL_USER_DISPATCH
#define PR_SET_SYSCALL_USER_DISPATCH 59
#endif

enum { OFF, ON };

static volatile char selector;
static volatile sig_atomic_t caught;

static COUNTED void on_call(int signal)
{
	ENTER(on_call);
	selector = 0;
	caught++;
	LEAVE();
}

static COUNTED int left(int n);
static COUNTED int right(int n);

static COUNTED int left(int n)
{
	ENTER(left);
	if (n)
		n = n & 1 ? left(n / 2) : right(n / 2);
	LEAVE();
	return n;
}

static COUNTED int right(int n)
{
	ENTER(right);
	if (n)
		n = n & 1 ? left(n / 2) : right(n / 2);
	LEAVE();
	return n;
}

static COUNTED void work(int ways)
{
	ENTER(work);
	for (int i = 0; i < ways; i++)
		left(i);
	LEAVE();
}

/* Long enough for a sampler's signal, measured in time stamps. */
static COUNTED void spin(void)
{
	const uint64_t start = __builtin_ia32_rdtsc();

	ENTER(spin);
	while (__builtin_ia32_rdtsc() - start < 100000000)
		;
	LEAVE();
}

static COUNTED int is_dispatched(int by_syscall, int how, volatile char *byte)
{
	int err;

	ENTER(is_dispatched);
	err = by_syscall
		      ? (int)syscall(SYS_prctl, PR_SET_SYSCALL_USER_DISPATCH,
				     how, 0L, 0L, byte)
		      : prctl(PR_SET_SYSCALL_USER_DISPATCH, how, 0L, 0L, byte);
	LEAVE();
	return !err;
}

static COUNTED void go_on_in_child(void)
{
	int status;
	pid_t child;

	ENTER(go_on_in_child);
	child = fork();
	if (!child) {
		TRUTH_FORKED();
		work(1000);
		truth_write();
		_exit(0);
	}
	waitpid(child, &status, 0);
	LEAVE();
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";
	const int is_always = !strcmp(mode, "always");

	ENTER(main);
	signal(SIGSYS, on_call);
	work(10);
	if (is_always) {
		alarm(60);
		is_dispatched(0, ON, NULL);
		work(1000);
		/*
		 * dispatched: killed by SIGSYS in the return from its handler
		 */
		_exit(3);
	}
	if (!is_dispatched(!strcmp(mode, "syscall"), ON, &selector))
		puts("no dispatch");
	selector = 1;
	work(strcmp(mode, "many") ? 3000 : 300000);
	spin();
	selector = 0;
	printf("%d calls\n", (int)caught);
	fflush(stdout);
	if (!strcmp(mode, "fork"))
		go_on_in_child();
	work(4000); /* new contexts, while clew can allocate memory for them */
	selector = 1;
	syscall(SYS_getpid); /* the handler lets later calls pass */
	is_dispatched(0, OFF, NULL);
	work(5000);
	printf("%d calls\n", (int)caught);
	LEAVE();
	truth_write();
	return 0;
}
