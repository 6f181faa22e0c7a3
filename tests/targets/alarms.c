/* SPDX-License-Identifier: MIT */
/*
 * A program that uses signals: profiling timers, timers with real-time signals,
 * and handlers, masks and waits for all real-time signals. The output is always
 * the same.
 *
 *	alarms timers | actions | masks | queue
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define ENOUGH 5

static volatile sig_atomic_t counts[NSIG];
static volatile unsigned long sum;

static void work(void)
{
	for (int i = 0; i < 50000; i++)
		sum += (unsigned long)i;
}

static void count(int signal)
{
	counts[signal]++;
}

static void handle(int signal, int flags)
{
	struct sigaction action = { .sa_handler = count, .sa_flags = flags };

	sigaction(signal, &action, NULL);
}

static void await(int signal)
{
	while (counts[signal] < ENOUGH)
		work();
	printf("%d has come\n", signal);
}

/* Uses ITIMER_PROF, and timers of several clocks with all real-time signals. */
static void use_timers(void)
{
	const struct itimerval often = { { 0, 4000 }, { 0, 4000 } },
			       never = { 0 };
	const struct itimerspec each = { { 0, 2000000 }, { 0, 2000000 } };
	const clockid_t clocks[] = { CLOCK_THREAD_CPUTIME_ID,
				     CLOCK_PROCESS_CPUTIME_ID,
				     CLOCK_MONOTONIC };

	handle(SIGPROF, SA_RESTART);
	setitimer(ITIMER_PROF, &often, NULL);
	await(SIGPROF);
	setitimer(ITIMER_PROF, &never, NULL);
	for (int number = SIGRTMIN; number <= SIGRTMAX; number++) {
		struct sigevent event = { .sigev_notify = SIGEV_SIGNAL,
					  .sigev_signo = number };
		timer_t timer;

		handle(number, 0);
		if (timer_create(clocks[number % 3], &event, &timer) ||
		    timer_settime(timer, 0, &each, NULL))
			abort();
		await(number);
		timer_delete(timer);
	}
}

static const char *name_of(const struct sigaction *action)
{
	if (action->sa_handler == SIG_DFL)
		return "default";
	if (action->sa_handler == SIG_IGN)
		return "ignored";
	return action->sa_handler == count ? "ours" : "unknown";
}

static void say_actions(void)
{
	struct sigaction action;

	for (int number = 1; number < NSIG; number++)
		if (!sigaction(number, NULL, &action))
			printf("%d %s %x %d\n", number, name_of(&action),
			       (unsigned int)action.sa_flags,
			       sigismember(&action.sa_mask, SIGRTMAX - 6));
}

/* Every real-time signal must arrive as often as it was sent. */
static void use_actions(void)
{
	say_actions();
	for (int number = SIGRTMIN; number <= SIGRTMAX; number++) {
		handle(number, SA_RESTART);
		work();
		raise(number);
		raise(number);
	}
	for (int i = 0; i < 1000; i++)
		work();
	for (int number = SIGRTMIN; number <= SIGRTMAX; number++)
		printf("%d came %d times\n", number, (int)counts[number]);
	say_actions();
	for (int number = SIGRTMIN; number <= SIGRTMAX; number++)
		signal(number, number % 2 ? SIG_IGN : SIG_DFL);
	for (int number = SIGRTMIN; number <= SIGRTMAX; number++)
		if (number % 2)
			raise(number);
	say_actions();
}

static void say_mask(const char *when)
{
	sigset_t set;

	pthread_sigmask(SIG_SETMASK, NULL, &set);
	printf("%s:", when);
	for (int number = 1; number < NSIG; number++)
		if (sigismember(&set, number) == 1)
			printf(" %d", number);
	puts("");
}

static void *say_inherited_mask(void *unused)
{
	say_mask("a thread inherits");
	return unused;
}

static void use_masks(void)
{
	pthread_t thread;
	sigset_t set;

	say_mask("at the start");
	sigfillset(&set);
	sigprocmask(SIG_BLOCK, &set, NULL);
	say_mask("all");
	pthread_create(&thread, NULL, say_inherited_mask, NULL);
	pthread_join(thread, NULL);
	sigdelset(&set, SIGRTMIN + 1);
	sigprocmask(SIG_SETMASK, &set, NULL);
	say_mask("all but one");
	sigemptyset(&set);
	sigprocmask(SIG_SETMASK, &set, NULL);
	say_mask("none");
	for (int number = SIGRTMIN; number <= SIGRTMAX; number++) {
		sigemptyset(&set);
		sigaddset(&set, number);
		sigprocmask(SIG_SETMASK, &set, NULL);
		work();
		say_mask("one");
	}
	sigfillset(&set);
	sigprocmask(SIG_SETMASK, &set, NULL);
	fflush(stdout);
	execl("/proc/self/exe", "alarms", "inherited", NULL);
}

/* Signals are blocked, sent and waited for, one by one and all together. */
static void use_queue(void)
{
	const union sigval value = { .sival_int = 7 };
	struct signalfd_siginfo read_info;
	siginfo_t info;
	sigset_t set;
	int fd;

	sigfillset(&set);
	sigprocmask(SIG_BLOCK, &set, NULL);
	for (int number = SIGRTMIN; number <= SIGRTMAX; number++) {
		work();
		sigqueue(getpid(), number, value);
		sigwaitinfo(&set, &info);
		printf("%d %d\n", info.si_signo, info.si_value.sival_int);
	}
	fd = signalfd(-1, &set, SFD_NONBLOCK);
	for (int number = SIGRTMIN; number <= SIGRTMAX; number++)
		sigqueue(getpid(), number, value);
	for (int i = 0; i < 1000; i++)
		work();
	while (read(fd, &read_info, sizeof(read_info)) == sizeof(read_info))
		printf("%u %d\n", read_info.ssi_signo, read_info.ssi_int);
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";

	for (int i = 0; i < 1000; i++)
		work();
	if (!strcmp(how, "timers"))
		use_timers();
	else if (!strcmp(how, "actions"))
		use_actions();
	else if (!strcmp(how, "masks"))
		use_masks();
	else if (!strcmp(how, "queue"))
		use_queue();
	else
		say_mask("inherited");
	return 0;
}
