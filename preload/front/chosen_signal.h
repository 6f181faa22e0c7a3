/* SPDX-License-Identifier: MIT */
/*
 * The signal that the user has chosen for snapshots (clew record
 * --snapshot-on): clew's handler takes one, then calls the program's handler,
 * if any.
 */
#ifndef CLEW_FRONT_CHOSEN_SIGNAL_H
#define CLEW_FRONT_CHOSEN_SIGNAL_H

#include <signal.h>

/*
 * Installs the handler; `take` is called in it. Call this while the process has
 * one thread.
 */
void chosen_signal_begin(int signal, void (*take)(void));

/* Returns whether this is the chosen signal and clew's handler is installed. */
int chosen_signal_is(int signal);

/*
 * Does what sigaction() would do for the program with this signal. Returns 0 or
 * -errno.
 */
int chosen_signal_change_action(const struct sigaction *set,
				struct sigaction *old);

#endif
