/* SPDX-License-Identifier: MIT */
/*
 * actions filter|forks: a thread sets its action for SIGTRAP again and again. It
 * has blocked that signal once, so that clew has a handler for it. Meanwhile
 *
 *	filter	behind a filter of system calls that allows them all, another
 *		thread sends it that signal, each when the last was handled
 *	forks	another thread forks children, which set that action, too
 */
#define TRUTH_MAIN
#include "tests/targets/truth.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#define SIGNALS  3000
#define SPINS    1000000
#define CHILDREN 200
#define PATIENCE 60 /* seconds */

static volatile int handled, is_over, errors;
static pthread_t receiver;

static COUNTED void on_trap(int signal)
{
	handled++;
}

static int set_action(void)
{
	const struct sigaction action = { .sa_handler = on_trap };

	return sigaction(SIGTRAP, &action, NULL);
}

static COUNTED void *send_all(void *unused)
{
	COUNT(send_all);
	for (int i = 0; i < SIGNALS; i++) {
		const int before = handled;

		pthread_kill(receiver, SIGTRAP);
		for (int j = 0; j < SPINS && handled == before; j++)
			sched_yield();
	}
	is_over = 1;
	return unused;
}

static COUNTED void *fork_all(void *unused)
{
	COUNT(fork_all);
	for (int i = 0; i < CHILDREN && !errors; i++) {
		int status = 0;
		pid_t pid = fork();

		if (!pid) {
			alarm(PATIENCE);
			_exit(set_action());
		}
		if (waitpid(pid, &status, 0) != pid || status)
			errors++;
	}
	is_over = 1;
	return unused;
}

static int filter(void)
{
	struct sock_filter allow = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	const struct sock_fprog program = { 1, &allow };

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static void block_once(void)
{
	sigset_t traps;

	sigemptyset(&traps);
	sigaddset(&traps, SIGTRAP);
	sigprocmask(SIG_BLOCK, &traps, NULL);
	sigprocmask(SIG_UNBLOCK, &traps, NULL);
}

int main(int argc, char **argv)
{
	const int is_filtered = argc > 1 && !strcmp(argv[1], "filter");
	pthread_t other;

	COUNT(main);
	receiver = pthread_self();
	block_once();
	if (set_action() || (is_filtered && filter()) ||
	    pthread_create(&other, NULL, is_filtered ? send_all : fork_all,
			   NULL))
		return 77;
	while (!is_over)
		set_action();
	pthread_join(other, NULL);
	printf("%d errors\n", errors + (is_filtered && !handled));
	return 0;
}
