/* SPDX-License-Identifier: MIT */
/*
 * landings WAY: signals that are pending when a jump brings the old mask back, in
 * the midst of it. Their handlers are called on top of the function that jumps:
 * so a debugger shows it. WAY is siglongjmp or setcontext.
 */
#define TRUTH_MAIN
#include "tests/targets/truth.h"

#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <ucontext.h>

#define ROUNDS 20

static int is_context;
static sigjmp_buf env;
static ucontext_t context;
static volatile int is_back, handled;

static COUNTED void after(void)
{
	ENTER(after);
	LEAVE();
}

static COUNTED void on_signal(int signal)
{
	ENTER(on_signal);
	after();
	handled = handled + 1;
	LEAVE();
}

TRUTH_INLINE void make_pending(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGUSR2);
	sigprocmask(SIG_BLOCK, &set, NULL);
	raise(SIGUSR1);
	raise(SIGUSR2);
}

static COUNTED void jumps(int depth)
{
	ENTER(jumps);
	if (depth > 0) {
		jumps(depth - 1);
		__builtin_trap();
	}
	make_pending();
	if (!is_context)
		siglongjmp(env, 1);
	is_back = 1;
	setcontext(&context);
}

static COUNTED void lands(int depth)
{
	ENTER(lands);
	volatile uint32_t here = TRUTH_HERE;

	if (is_context) {
		is_back = 0;
		getcontext(&context);
		if (!is_back)
			jumps(depth);
	} else if (!sigsetjmp(env, 1)) {
		jumps(depth);
	}
	TRUTH_HERE = here;
	after();
	LEAVE();
}

static COUNTED void run(void)
{
	ENTER(run);
	for (int i = 0; i < ROUNDS; i++)
		lands(i % 5);
	LEAVE();
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_handler = on_signal };

	is_context = argc > 1 && !strcmp(argv[1], "setcontext");
	sigaction(SIGUSR1, &action, NULL);
	sigaction(SIGUSR2, &action, NULL);
	run();
	printf("%d handled\n", handled);
	fflush(stdout);
	truth_write();
	return 0;
}
