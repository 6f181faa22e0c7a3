/* SPDX-License-Identifier: MIT */
/*
 * landings WAY
 *
 * siglongjmp, setcontext: signals are pending when a jump restores the old mask
 * in its middle. The handlers are called on top of the function that jumps, as
 * a debugger shows.
 *
 * fault, alternate: a handler of SIGSEGV jumps out of the function that wrote
 * to read-only memory; `alternate` does so from an alternate stack.
 */
#define TRUTH_MAIN
#include "tests/targets/truth.h"

#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#define ROUNDS      40
#define STACK_BYTES (1 << 17)

static int is_context;
static volatile char *page; /* read-only memory, for `fault` and `alternate` */
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

static COUNTED void on_fault(int signal)
{
	ENTER(on_fault);
	after();
	handled = handled + 1;
	siglongjmp(env, 1);
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
	if (page)
		*page = 1;
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

static void await_faults(int is_alternate)
{
	static char bytes[STACK_BYTES];
	const stack_t stack = { .ss_sp = bytes, .ss_size = sizeof(bytes) };
	struct sigaction action = { .sa_handler = on_fault };

	page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (is_alternate) {
		sigaltstack(&stack, NULL);
		action.sa_flags = SA_ONSTACK;
	}
	sigaction(SIGSEGV, &action, NULL);
}

static void await_signals(void)
{
	const struct sigaction action = { .sa_handler = on_signal };

	sigaction(SIGUSR1, &action, NULL);
	sigaction(SIGUSR2, &action, NULL);
}

int main(int argc, char **argv)
{
	const char *way = argc > 1 ? argv[1] : "siglongjmp";
	const int is_alternate = !strcmp(way, "alternate");

	is_context = !strcmp(way, "setcontext");
	if (is_alternate || !strcmp(way, "fault"))
		await_faults(is_alternate);
	else
		await_signals();
	run();
	printf("%d handled\n", handled);
	fflush(stdout);
	truth_write();
	return 0;
}
