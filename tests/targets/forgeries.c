/* SPDX-License-Identifier: MIT */
/*
 * forgeries: handles each real-time signal. Another process sends it all of
 * them, with siginfo of an expired timer or of a signal from the process to
 * itself, with all kinds of values. A timer that libc does not know also sends
 * signals. Prints how many arrived.
 */
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define FIRST 34
#define LAST  64

/* Both threads handle signals. */
static _Atomic int forged[LAST + 1], expired;
static uint64_t values[] = {
	0, 1, 2, 63, 4096, 0x4141410000, 0x7fffffffffff, UINT64_MAX, 0,
};
enum { VALUES = sizeof(values) / sizeof(*values) };

static const int codes[] = { SI_TIMER, SI_QUEUE, SI_MESGQ, SI_ASYNCIO };
enum { CODES = sizeof(codes) / sizeof(*codes) };

static int of_own;

static void on_signal(int signal, siginfo_t *info, void *context)
{
	(void)context;
	if (info->si_code == SI_TIMER && info->si_value.sival_ptr == &of_own)
		expired++;
	else
		forged[signal]++;
}

static void forge(pid_t whose)
{
	for (int signal = FIRST; signal <= LAST; signal++)
		for (int i = 0; i < VALUES * CODES; i++) {
			siginfo_t info;

			memset(&info, 0, sizeof(info));
			info.si_signo = signal;
			info.si_code = codes[i % CODES];
			info.si_pid = whose;
			info.si_value.sival_ptr = (void *)values[i / CODES];
			if (syscall(SYS_rt_sigqueueinfo, whose, signal, &info))
				_exit(1);
		}
	_exit(0);
}

/* Uses the bare instruction, so that no wrapper is called. */
static long timer_by_hand(int signal)
{
	struct sigevent event;
	int timer = -1;
	long result;

	memset(&event, 0, sizeof(event));
	event.sigev_signo = signal;
	event.sigev_value.sival_ptr = &of_own;
	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"((long)SYS_timer_create), "D"(CLOCK_MONOTONIC),
			   "S"(&event), "d"(&timer)
			 : "rcx", "r11", "memory");
	return result ? -1 : timer;
}

static void await_timer(int signal)
{
	const struct itimerspec once = { { 0, 0 }, { 0, 1 } };
	const int before = expired;
	long timer = timer_by_hand(signal);

	syscall(SYS_timer_settime, timer, 0, &once, NULL);
	while (expired == before)
		;
	syscall(SYS_timer_delete, timer);
}

static volatile int stop;

static void *work(void *unused)
{
	volatile unsigned int n __attribute__((unused)) = 0;

	while (!stop)
		n += 3;
	return unused;
}

int main(void)
{
	struct sigaction action;
	int all = 0, status = -1;
	pthread_t thread;
	pid_t pid;

	memset(&action, 0, sizeof(action));
	action.sa_sigaction = on_signal;
	action.sa_flags = SA_SIGINFO | SA_RESTART;
	for (int signal = FIRST; signal <= LAST; signal++)
		sigaction(signal, &action, NULL);
	values[VALUES - 1] = (uintptr_t)&action;
	pthread_create(&thread, NULL, work, NULL);
	pid = fork();
	if (!pid)
		forge(getppid());
	waitpid(pid, &status, 0);
	for (int signal = FIRST; signal <= LAST; signal++)
		while (forged[signal] < VALUES * CODES)
			;
	for (int signal = FIRST; signal <= LAST; signal++)
		await_timer(signal);
	stop = 1;
	pthread_join(thread, NULL);
	for (int signal = FIRST; signal <= LAST; signal++)
		all += forged[signal];
	printf("%d forged, %d timers, forger %d\n", all, expired, status);
	return 0;
}
