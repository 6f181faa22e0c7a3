/* SPDX-License-Identifier: MIT */
/*
 * actions filter|forks: a thread sets its action for SIGTRAP again and again.
 * The program has blocked that signal once, so that clew has a handler for it.
 * Meanwhile:
 *
 *	filter	after installing a filter that allows all system calls, another
 *		thread sends it SIGTRAP as fast as it can
 *	forks	another thread forks children, which also set that action
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

#define SIGNALS  100000
#define SPINS    300
#define CHILDREN 200
#define PATIENCE 60 /* seconds */

static volatile int handled, depth, is_over, errors;
static pthread_t receiver;

/*
 * Counts an error if it interrupts itself: the signal is blocked while it runs.
 */
static COUNTED void on_trap(int signal)
{
	errors += depth++ > 0;
	for (volatile int i = 0; i < SPINS; i++)
		;
	handled++;
	depth--;
}

static int set_action(void)
{
	const struct sigaction action = { .sa_handler = on_trap };

	return sigaction(SIGTRAP, &action, NULL);
}

/*
 * Runs the thread on the first processor or, if there are several, on another
 * one.
 */
static void run_on(int is_first)
{
	cpu_set_t all, one;
	int chosen = -1;

	if (sched_getaffinity(0, sizeof(all), &all))
		return;
	for (int i = 0; i < CPU_SETSIZE && !(is_first && chosen >= 0); i++)
		if (CPU_ISSET(i, &all))
			chosen = i;
	CPU_ZERO(&one);
	CPU_SET(chosen, &one);
	sched_setaffinity(0, sizeof(one), &one);
}

static COUNTED void *send_all(void *unused)
{
	COUNT(send_all);
	run_on(0);
	for (int i = 0; i < SIGNALS; i++)
		pthread_kill(receiver, SIGTRAP);
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
	if (is_filtered)
		run_on(1);
	while (!is_over)
		set_action();
	pthread_join(other, NULL);
	printf("%d errors\n", errors + (is_filtered && !handled));
	return 0;
}
