/* SPDX-License-Identifier: MIT */
/*
 * queued: blocks all real-time signals in all threads, sends itself one of them
 * SIGNALS times, has clew's hooks removed and set, and then fetches the
 * signals.
 */
#define TRUTH_MAIN
#include "tests/targets/truth.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>

#define SIGNALS 50

static COUNTED int work(int n)
{
	COUNT(work);
	return n ^ n >> 3;
}

static COUNTED void *wait_for_end(void *lock)
{
	COUNT(wait_for_end);
	pthread_mutex_lock(lock);
	return NULL;
}

static void toggle(const char *how)
{
	int (*function)(void) = (int (*)(void))dlsym(RTLD_DEFAULT, how);
	int err = function ? function() : 0;

	if (err)
		printf("%s: error %d\n", how, -err);
}

static COUNTED int count_pending(const sigset_t *signals)
{
	const struct timespec now = { 0 };
	int count = 0;

	COUNT(count_pending);
	while (sigtimedwait(signals, NULL, &now) == SIGRTMAX)
		count += work(1);
	return count;
}

int main(void)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	pthread_t thread;
	sigset_t signals;

	COUNT(main);
	sigemptyset(&signals);
	for (int signal = SIGRTMIN; signal <= SIGRTMAX; signal++)
		sigaddset(&signals, signal);
	pthread_sigmask(SIG_BLOCK, &signals, NULL);
	pthread_mutex_lock(&lock);
	if (pthread_create(&thread, NULL, wait_for_end, &lock))
		return 77;
	for (int i = 0; i < SIGNALS; i++)
		sigqueue(getpid(), SIGRTMAX, (union sigval){ .sival_int = i });
	toggle("clew_unhook");
	toggle("clew_hook");
	printf("%d signals\n", count_pending(&signals));
	pthread_mutex_unlock(&lock);
	pthread_join(thread, NULL);
	return 0;
}
