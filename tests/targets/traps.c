/* SPDX-License-Identifier: MIT */
/*
 * A function that is hooked by a breakpoint, in a program that uses SIGTRAP
 * itself and prints all that it can observe.
 */
#define TRUTH_MAIN
#include "tests/targets/truth.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/time.h>
#include <ucontext.h>

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

#define CALLS   2000
#define THREADS 4

int trapped(int n);
int after_trapped(int n);

static volatile sig_atomic_t arrived, on_alternate, sum;
static char alternate_stack[1 << 16];

/* Checks errno and the result. */
static void call(int n)
{
	errno = n;
	COUNT(trapped);
	if (trapped(n) != n || errno != n)
		abort();
	COUNT(after_trapped);
	if (after_trapped(n) != n + 1)
		abort();
}

static void breakpoint(void)
{
	__asm__ volatile("int3");
}

static int is_on_alternate(void)
{
	char *here = __builtin_frame_address(0);

	return here >= alternate_stack &&
	       here < alternate_stack + sizeof(alternate_stack);
}

static void handler(int signal)
{
	arrived++;
	on_alternate += is_on_alternate();
	call(signal);
}

static void handler_with_info(int signal, siginfo_t *info, void *context)
{
	ucontext_t *interrupted = context;

	arrived++;
	sum += info->si_code + info->si_signo;
	if (info->si_code == SI_KERNEL &&
	    ((uint8_t *)interrupted->uc_mcontext.gregs[REG_RIP])[-1] != 0xcc)
		abort();
	call(signal);
}

static const char *handler_name(__sighandler_t which)
{
	if (which == SIG_DFL)
		return "default";
	if (which == SIG_IGN)
		return "ignored";
	if (which == SIG_HOLD)
		return "held";
	if (which == SIG_ERR)
		return "error";
	return which == handler || which == (__sighandler_t)(uintptr_t)
						    handler_with_info
		       ? "ours"
		       : "somebody's";
}

static int is_blocked(void)
{
	sigset_t mask;

	pthread_sigmask(SIG_BLOCK, NULL, &mask);
	return sigismember(&mask, SIGTRAP);
}

static void show(const char *when)
{
	struct sigaction action;

	sigaction(SIGTRAP, NULL, &action);
	printf("%s: %s, flags %x, %smask, %sblocked, %d arrived, %d on the "
	       "alternate stack, sum %d\n",
	       when, handler_name(action.sa_handler), (unsigned)action.sa_flags,
	       sigismember(&action.sa_mask, SIGTRAP) == 1 ? "" : "not in its ",
	       is_blocked() ? "" : "not ", (int)arrived, (int)on_alternate,
	       (int)sum);
	fflush(stdout);
}

static void set_action(int signal, void (*how)(int), int flags, int fills)
{
	struct sigaction action = { .sa_flags = flags };

	action.sa_handler = how;
	if (fills)
		sigfillset(&action.sa_mask);
	if (sigaction(signal, &action, NULL))
		abort();
}

static void provoke(const char *when)
{
	raise(SIGTRAP);
	breakpoint();
	call(1);
	show(when);
}

/* ---- Cases ---- */

static void *calls(void *unused)
{
	for (int i = 0; i < CALLS; i++)
		call(i);
	return unused;
}

static void in_threads(void)
{
	pthread_t threads[THREADS];

	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, calls, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	show("threads");
}

/* Waits for a line, so that the test can attach. */
static void commanded(void)
{
	printf("%d\n", (int)getpid());
	fflush(stdout);
	if (getchar() == EOF)
		abort();
	in_threads();
}

static void handlers(void)
{
	show("at first");
	set_action(SIGTRAP, handler, SA_RESTART, 0);
	provoke("sigaction");
	set_action(SIGTRAP, (__sighandler_t)(uintptr_t)handler_with_info,
		   SA_SIGINFO | SA_NODEFER, 1);
	provoke("sigaction with information");
	printf("signal: %s\n", handler_name(signal(SIGTRAP, handler)));
	provoke("signal");
	printf("siginterrupt: %d\n", siginterrupt(SIGTRAP, 1));
	show("interrupting");
	printf("sigset: %s\n", handler_name(sigset(SIGTRAP, SIG_HOLD)));
	show("held");
	printf("sigset: %s\n", handler_name(sigset(SIGTRAP, handler)));
	provoke("sigset");
	printf("sysv: %s\n", handler_name(__sysv_signal(SIGTRAP, handler)));
	raise(SIGTRAP);
	show("once");
	set_action(SIGTRAP, handler, SA_RESETHAND, 0);
	breakpoint();
	show("reset");
	printf("sigignore: %d\n", sigignore(SIGTRAP));
	raise(SIGTRAP);
	show("ignored");
}

static void on_stacks(void)
{
	const stack_t stack = { .ss_sp = alternate_stack,
				.ss_size = sizeof(alternate_stack) };

	sigaltstack(&stack, NULL);
	call(1);
	set_action(SIGTRAP, handler, 0, 0);
	provoke("on the stack");
	set_action(SIGTRAP, handler, SA_ONSTACK, 0);
	provoke("on the alternate stack");
}

static void *inherits(void *unused)
{
	call(2);
	show("in a new thread");
	return unused;
}

/* Calls while SIGTRAP is blocked in several ways, also by inheritance. */
static void masks(void)
{
	sigset_t all, old;
	pthread_t thread;

	set_action(SIGTRAP, handler, 0, 0);
	sigfillset(&all);
	printf("%d\n", sigprocmask(SIG_SETMASK, &all, &old));
	call(3);
	show("blocked");
	pthread_create(&thread, NULL, inherits, NULL);
	pthread_join(thread, NULL);
	raise(SIGTRAP);
	show("raised");
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	show("unblocked");
	sighold(SIGTRAP);
	show("sighold");
	sigrelse(SIGTRAP);
	show("sigrelse");
	printf("%x\n", (unsigned)sigblock(1 << (SIGTRAP - 1)));
	printf("%x\n", (unsigned)sigblock(0));
	call(4);
	printf("%x\n", (unsigned)sigsetmask(0));
	show("sigsetmask");
}

/*
 * Handlers that run with all signals blocked, or during system calls that set
 * the mask.
 */
static void waits(void)
{
	const struct itimerval soon = { .it_value = { 0, 20000 } };
	const struct timespec long_time = { 10, 0 };
	struct sigaction action;
	sigset_t all;

	set_action(SIGALRM, handler, 0, 1);
	sigaction(SIGALRM, NULL, &action);
	printf("%d\n", sigismember(&action.sa_mask, SIGTRAP));
	raise(SIGALRM);
	show("all masked");
	sigfillset(&all);
	sigdelset(&all, SIGALRM);
	setitimer(ITIMER_REAL, &soon, NULL);
	printf("%d\n", sigsuspend(&all));
	setitimer(ITIMER_REAL, &soon, NULL);
	printf("%d\n", ppoll(NULL, 0, &long_time, &all));
	setitimer(ITIMER_REAL, &soon, NULL);
	printf("%d\n", pselect(0, NULL, NULL, NULL, &long_time, &all));
	setitimer(ITIMER_REAL, &soon, NULL);
	printf("%d\n", epoll_pwait(epoll_create1(0), &(struct epoll_event){ 0 },
				   1, 10000, &all));
	show("waited");
}

/* ---- Signals that end the program, or do not ---- */

static void dies_raised(void)
{
	raise(SIGTRAP);
}

static void dies_of_a_breakpoint(void)
{
	breakpoint();
}

static void dies_ignoring(void)
{
	signal(SIGTRAP, SIG_IGN);
	raise(SIGTRAP);
	show("ignored");
	breakpoint();
}

static void dies_blocking(void)
{
	set_action(SIGTRAP, handler, 0, 0);
	sighold(SIGTRAP);
	breakpoint();
}

static void dies_unblocking(void)
{
	sighold(SIGTRAP);
	raise(SIGTRAP);
	show("pending");
	sigrelse(SIGTRAP);
}

static void dies_the_second_time(void)
{
	set_action(SIGTRAP, handler, SA_RESETHAND, 0);
	breakpoint();
	show("once");
	breakpoint();
}

static const struct {
	const char *name;
	void (*run)(void);
} cases[] = {
	{ "threads", in_threads },
	{ "commanded", commanded },
	{ "handlers", handlers },
	{ "stacks", on_stacks },
	{ "masks", masks },
	{ "waits", waits },
	{ "raised", dies_raised },
	{ "breakpoint", dies_of_a_breakpoint },
	{ "ignoring", dies_ignoring },
	{ "blocking", dies_blocking },
	{ "unblocking", dies_unblocking },
	{ "twice", dies_the_second_time },
};

int main(int argc, char **argv)
{
	call(0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		if (argc > 1 && !strcmp(argv[1], cases[i].name))
			cases[i].run();
	call(0);
	truth_write();
	return 0;
}
