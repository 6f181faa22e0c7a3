/* SPDX-License-Identifier: MIT */
/*
 * The signal that the user has chosen for snapshots (clew record --snapshot-on): one is
 * made when it comes, then the program's own handler is called, if it has one.
 */
#ifndef CLEW_FRONT_CHOSEN_SIGNAL_H
#define CLEW_FRONT_CHOSEN_SIGNAL_H

#include <signal.h>

/* `take` is called in handlers. While the process has one thread. */
void chosen_signal_begin(int signal, void (*take)(void));

/* Whether it is that, and taken. */
int chosen_signal_is(int signal);

/* What the program says of it: as sigaction(), but 0 or -errno. */
int chosen_signal_change_action(const struct sigaction *set,
				struct sigaction *old);

#endif
