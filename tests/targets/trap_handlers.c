/* SPDX-License-Identifier: MIT */
/*
 * trap_handlers CASE: SIGTRAPs that arrive while a handler for SIGTRAP runs,
 * which calls a function that is hooked by a breakpoint. Prints all that the
 * handlers see, in order.
 */
#define TRUTH_MAIN
#include "tests/targets/truth.h"

#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>

#include <linux/seccomp.h>

#define STACK_BYTES (1 << 16)

int trapped(int n);
int after_trapped(int n);

static volatile int entered, is_child;
static void (*volatile within)(ucontext_t *interrupted);
static sigjmp_buf place;
static ucontext_t outside, elsewhere, inside;
static char alternate_stack[STACK_BYTES], other_stack[STACK_BYTES];

static void call(int n)
{
	COUNT(trapped);
	if (trapped(n) != n)
		abort();
	COUNT(after_trapped);
	if (after_trapped(n) != n + 1)
		abort();
}

static int is_blocked(void)
{
	sigset_t mask;

	pthread_sigmask(SIG_BLOCK, NULL, &mask);
	return sigismember(&mask, SIGTRAP);
}

static void unblock(void)
{
	sigset_t traps;

	sigemptyset(&traps);
	sigaddset(&traps, SIGTRAP);
	sigprocmask(SIG_UNBLOCK, &traps, NULL);
}

static void show(const char *when)
{
	printf("%s: %d entered, %sblocked\n", when, entered,
	       is_blocked() ? "" : "not ");
	fflush(stdout);
}

static void say_code(const siginfo_t *info)
{
	printf("code %d, value %d\n", info->si_code,
	       info->si_code == SI_QUEUE ? info->si_value.sival_int : 0);
}

/* The first handler performs the requested action. */
static void handler(int signal, siginfo_t *info, void *context)
{
	void (*const once)(ucontext_t *) = within;

	within = NULL;
	entered++;
	call(entered);
	show("begins");
	say_code(info);
	if (once)
		once(context);
	call(entered);
	show("ends");
}

static void set_action(int flags, int has_trap)
{
	struct sigaction action = { .sa_flags = SA_SIGINFO | flags };

	action.sa_sigaction = handler;
	if (has_trap)
		sigaddset(&action.sa_mask, SIGTRAP);
	if (sigaction(SIGTRAP, &action, NULL))
		abort();
}

static void provoke(const char *name, void (*how)(ucontext_t *))
{
	printf("-- %s\n", name);
	entered = 0;
	within = how;
	raise(SIGTRAP);
	show("over");
	call(entered);
}

/* ---- Actions of the handler ---- */

static void queue(int value)
{
	sigqueue(getpid(), SIGTRAP, (union sigval){ .sival_int = value });
}

static void raise_two(ucontext_t *interrupted)
{
	raise(SIGTRAP);
	show("one");
	raise(SIGTRAP);
	show("two");
}

static void queue_two(ucontext_t *interrupted)
{
	queue(1);
	queue(2);
	show("queued");
}

static void raise_and_unblock(ucontext_t *interrupted)
{
	raise(SIGTRAP);
	show("raised");
	unblock();
	show("unblocked");
	raise(SIGTRAP);
	show("raised again");
}

static void change_mask(ucontext_t *interrupted)
{
	sigset_t all, old;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &old);
	raise(SIGTRAP);
	sigprocmask(SIG_SETMASK, &old, NULL);
	show("restored");
}

static void block_afterwards(ucontext_t *interrupted)
{
	sigaddset(&interrupted->uc_sigmask, SIGTRAP);
}

static void jump_out(ucontext_t *interrupted)
{
	raise(SIGTRAP);
	siglongjmp(place, 1);
}

static void jump_about(ucontext_t *interrupted)
{
	sigjmp_buf here;

	raise(SIGTRAP);
	if (!sigsetjmp(here, 1))
		siglongjmp(here, 1);
	show("jumped");
}

static void go_outside(ucontext_t *interrupted)
{
	raise(SIGTRAP);
	setcontext(&outside);
}

static void on_other_stack(void)
{
	show("elsewhere");
	raise(SIGTRAP);
}

static void go_elsewhere(ucontext_t *interrupted)
{
	getcontext(&elsewhere);
	sigdelset(&elsewhere.uc_sigmask, SIGTRAP);
	elsewhere.uc_stack.ss_sp = other_stack;
	elsewhere.uc_stack.ss_size = sizeof(other_stack);
	elsewhere.uc_link = &inside;
	makecontext(&elsewhere, on_other_stack, 0);
	swapcontext(&inside, &elsewhere);
	show("back");
	raise(SIGTRAP);
	show("raised");
}

static void on_user_signal(int signal)
{
	raise(SIGTRAP);
	show("raised on top");
}

static void raise_on_top(ucontext_t *interrupted)
{
	const struct sigaction action = { .sa_handler = on_user_signal,
					  .sa_flags = SA_ONSTACK };

	sigaction(SIGUSR1, &action, NULL);
	raise(SIGUSR1);
}

/*
 * Sends itself signals, then forks: signals that are pending in the parent must
 * not arrive in the child.
 */
static void fork_within(ucontext_t *interrupted)
{
	pid_t child;
	int status;

	raise(SIGTRAP);
	queue(1);
	fflush(stdout);
	child = fork();
	is_child = !child;
	if (child && (waitpid(child, &status, 0) != child || status))
		abort();
}

static void break_within(ucontext_t *interrupted)
{
	__asm__ volatile("int3");
}

/* ---- Cases ---- */

static void do_all(int flags)
{
	set_action(flags, 0);
	provoke("raised within", raise_two);
	provoke("queued within", queue_two);
	provoke("unblocked within", raise_and_unblock);
	provoke("mask changed within", change_mask);
	provoke("jump within", jump_about);
	provoke("another handler on top", raise_on_top);
	if (!sigsetjmp(place, 1))
		provoke("jump", jump_out);
	show("jumped");
	provoke("after a jump", raise_two);
}

static void defers(void)
{
	do_all(0);
	provoke("blocked afterwards", block_afterwards);
	raise(SIGTRAP);
	show("kept");
	unblock();
	show("released");
	set_action(SA_NODEFER, 0);
	provoke("nested", raise_two);
	set_action(SA_NODEFER, 1);
	provoke("in its mask", raise_two);
}

static void on_a_stack_of_its_own(void)
{
	const stack_t stack = { .ss_sp = alternate_stack,
				.ss_size = sizeof(alternate_stack) };

	sigaltstack(&stack, NULL);
	do_all(0);
	do_all(SA_ONSTACK);
}

static void switches(void)
{
	static volatile int is_over;

	set_action(0, 0);
	provoke("to another context and back", go_elsewhere);
	getcontext(&outside);
	show("outside");
	if (!is_over) {
		is_over = 1;
		provoke("to a context", go_outside);
	}
	raise(SIGTRAP);
	show("over");
}

static void forks(void)
{
	set_action(0, 0);
	provoke("forked within", fork_within);
	if (is_child)
		_exit(0);
}

static void dies_reset(void)
{
	set_action(SA_RESETHAND, 0);
	provoke("once", raise_two);
}

static void dies_within(void)
{
	set_action(0, 0);
	provoke("breakpoint", break_within);
}

static void on_breakpoint(int signal)
{
	entered++;
	trapped(1);
}

/* Allows only the system calls read, write, exit and sigreturn. */
static void strict(void)
{
	signal(SIGTRAP, on_breakpoint);
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT))
		abort();
	for (int i = 0; i < 3; i++)
		break_within(NULL);
	if (entered == 3 && write(STDOUT_FILENO, "three\n", 6) == 6)
		syscall(SYS_exit, 0);
	syscall(SYS_exit, 1);
}

static const struct {
	const char *name;
	void (*run)(void);
} cases[] = {
	{ "defers", defers },     { "stacks", on_a_stack_of_its_own },
	{ "switches", switches }, { "forks", forks },
	{ "reset", dies_reset },  { "within", dies_within },
	{ "strict", strict },
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
