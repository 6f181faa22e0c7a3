/* SPDX-License-Identifier: MIT */
/* See ending_signals.h. */
#include "cli/target/ending_signals.h"

#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <sys/signalfd.h>
#include <unistd.h>

static sigset_t all_of_them(void)
{
	sigset_t signals;

	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGQUIT);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGHUP);
	return signals;
}

int ending_signals_watch(void)
{
	const sigset_t signals = all_of_them();

	sigprocmask(SIG_BLOCK, &signals, NULL);
	return signalfd(-1, &signals, SFD_CLOEXEC);
}

void ending_signals_unwatch(int signals)
{
	const sigset_t all = all_of_them();

	close(signals);
	sigprocmask(SIG_UNBLOCK, &all, NULL);
}

int ending_signals_wait(int signals, int ms)
{
	struct pollfd end = { .fd = signals, .events = POLLIN };

	return poll(&end, 1, ms) > 0;
}

void ending_signals_consume(int signals)
{
	struct signalfd_siginfo one;

	while (ending_signals_wait(signals, 0) &&
	       read(signals, &one, sizeof(one)) == sizeof(one))
		;
}

int ending_signals_have_come(void)
{
	const sigset_t signals = all_of_them();
	sigset_t pending;

	return sigpending(&pending) == 0 &&
	       sigandset(&pending, &pending, &signals) == 0 &&
	       !sigisemptyset(&pending);
}
