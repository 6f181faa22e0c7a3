/* SPDX-License-Identifier: MIT */
/*
 * Programs that use SIGURG, or would notice foreign signals, after they have
 * used enough time for clew to sample them by an event. Each prints its
 * observations.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define TIMES 50

static volatile sig_atomic_t calls, strangers;
static volatile unsigned int work;

/* Uses this amount of CPU time. */
__attribute__((noinline)) static void burn(long ms)
{
	struct timespec now;
	long end_ms;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	end_ms = now.tv_sec * 1000 + now.tv_nsec / 1000000 + ms;
	do {
		for (int i = 0; i < 10000; i++)
			work += (unsigned int)i;
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	} while (now.tv_sec * 1000 + now.tv_nsec / 1000000 < end_ms);
}

static void on_signal(int signal, siginfo_t *info, void *context)
{
	calls++;
	strangers += info->si_code != SI_USER || info->si_pid == 0;
}

static void handle(void)
{
	struct sigaction action = { .sa_flags = SA_SIGINFO | SA_RESTART };
	struct sigaction old;

	action.sa_sigaction = on_signal;
	if (sigaction(SIGURG, &action, &old) || old.sa_handler != SIG_DFL)
		puts("somebody was there before");
}

static void *burn_in_thread(void *argument)
{
	burn(150);
	return argument;
}

/* Sets a handler while other threads are sampled. */
static int handler(void)
{
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, burn_in_thread, NULL);
	burn(150);
	handle();
	for (int i = 0; i < TIMES; i++) {
		kill(getpid(), SIGURG);
		burn(1);
	}
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	printf("handled %d, strangers %d\n", calls > 0, strangers);
	return 0;
}

/* A thread sends itself signals: none may be lost, and none may be added. */
static int raised(void)
{
	burn(150);
	handle();
	for (int i = 0; i < TIMES; i++) {
		kill(getpid(), SIGURG);
		burn(1);
	}
	printf("handled %d of %d, strangers %d\n", calls, TIMES, strangers);
	return 0;
}

/* Blocks SIGURG alone: it must stay pending until it is fetched. */
static int blocked(void)
{
	const struct timespec no_time = { 0 };
	sigset_t set, old, pending;
	siginfo_t info;
	int had;

	burn(150);
	sigemptyset(&set);
	sigaddset(&set, SIGURG);
	sigprocmask(SIG_BLOCK, &set, &old);
	had = sigismember(&old, SIGURG);
	burn(150);
	sigpending(&pending);
	had += sigismember(&pending, SIGURG);
	kill(getpid(), SIGURG);
	sigpending(&pending);
	printf("before %d, pending %d", had, sigismember(&pending, SIGURG));
	printf(", fetched %d", sigtimedwait(&set, &info, &no_time));
	printf(" of %d\n", info.si_pid == getpid());
	return 0;
}

static void *wait_for_all(void *argument)
{
	sigset_t all;
	siginfo_t info;

	sigfillset(&all);
	printf("waited for %d", sigwaitinfo(&all, &info));
	printf(" of %d\n", info.si_pid == getpid());
	return argument;
}

/* Blocks all signals, and lets a thread wait for any of them. */
static int awaited(void)
{
	sigset_t all, now;
	pthread_t waiter;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, NULL);
	burn(150);
	pthread_sigmask(SIG_SETMASK, NULL, &now);
	printf("blocked %d\n", sigismember(&now, SIGURG));
	kill(getpid(), SIGURG);
	pthread_create(&waiter, NULL, wait_for_all, NULL);
	pthread_join(waiter, NULL);
	return 0;
}

/* All signals except this one are blocked while waiting for it. */
static int suspended(void)
{
	sigset_t all;
	pid_t child;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	burn(150);
	handle();
	child = fork();
	if (!child) {
		kill(getppid(), SIGURG);
		_exit(0);
	}
	sigdelset(&all, SIGURG);
	while (!calls)
		sigsuspend(&all);
	waitpid(child, NULL, 0);
	printf("handled %d, strangers %d\n", calls, strangers);
	return 0;
}

/* Ignores SIGURG and executes itself: the signal must stay ignored. */
static int ignored(char **argv)
{
	burn(150);
	if (signal(SIGURG, SIG_IGN) != SIG_DFL)
		puts("somebody was there before");
	burn(150);
	kill(getpid(), SIGURG);
	argv[1] = "told";
	execv(argv[0], argv);
	return 1;
}

static int told(void)
{
	struct sigaction action;

	sigaction(SIGURG, NULL, &action);
	printf("ignored %d\n", action.sa_handler == SIG_IGN);
	return 0;
}

/*
 * Runs while no more signals can be queued; the kernel must not send the fatal
 * SIGIO instead.
 */
static int full(void)
{
	const int signal = SIGRTMIN + 5;
	struct rlimit limit;
	sigset_t set;
	int queued = 0;

	burn(150);
	getrlimit(RLIMIT_SIGPENDING, &limit);
	limit.rlim_cur = 64;
	setrlimit(RLIMIT_SIGPENDING, &limit);
	sigemptyset(&set);
	sigaddset(&set, signal);
	sigprocmask(SIG_BLOCK, &set, NULL);
	while (queued < 1000 &&
	       !sigqueue(getpid(), signal, (union sigval){ 0 }))
		queued++;
	printf("full %d\n", queued < 1000 && errno == EAGAIN);
	burn(200);
	return 0;
}

/*
 * Executes itself several times during work, by turns with all signals blocked
 * and with no signal blocked.
 */
static int executed(int argc, char **argv)
{
	char left[16];
	sigset_t set;
	int rest = argc > 2 ? atoi(argv[2]) : 12;
	char *next[] = { argv[0], argv[1], left, NULL };

	sigprocmask(SIG_SETMASK, NULL, &set);
	if (sigismember(&set, SIGURG) != (argc > 2 && rest % 2))
		puts("not the mask that was left");
	burn(60);
	if (!rest) {
		puts("executed");
		return 0;
	}
	rest % 2 ? sigemptyset(&set) : sigfillset(&set);
	snprintf(left, sizeof(left), "%d", rest - 1);
	sigprocmask(SIG_SETMASK, &set, NULL);
	burn(2);
	execv(argv[0], next);
	return 1;
}

/* Waits between work must not be interrupted. */
static int waiting(void)
{
	const struct timespec moment = { .tv_nsec = 1000000 };
	int short_ones = 0;
	sigset_t none;

	sigemptyset(&none);
	burn(150);
	for (int i = 0; i < 100; i++) {
		burn(4);
		short_ones += nanosleep(&moment, NULL) != 0;
		short_ones += poll(NULL, 0, 1) != 0;
		short_ones += ppoll(NULL, 0, &moment, &none) != 0;
	}
	printf("cut short %d\n", short_ones);
	return 0;
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (!strcmp(mode, "handler"))
		return handler();
	if (!strcmp(mode, "raised"))
		return raised();
	if (!strcmp(mode, "blocked"))
		return blocked();
	if (!strcmp(mode, "awaited"))
		return awaited();
	if (!strcmp(mode, "suspended"))
		return suspended();
	if (!strcmp(mode, "ignored"))
		return ignored(argv);
	if (!strcmp(mode, "told"))
		return told();
	if (!strcmp(mode, "full"))
		return full();
	if (!strcmp(mode, "executed"))
		return executed(argc, argv);
	return !strcmp(mode, "waiting") ? waiting() : 2;
}
