/* SPDX-License-Identifier: MIT */
#include "cli/ending_signals.h"

#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <sys/signalfd.h>

int ending_signals_watch(void)
{
	sigset_t signals;

	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGQUIT);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGHUP);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	return signalfd(-1, &signals, SFD_CLOEXEC);
}

int ending_signals_wait(int signals, int ms)
{
	struct pollfd end = { .fd = signals, .events = POLLIN };

	return poll(&end, 1, ms) > 0;
}
