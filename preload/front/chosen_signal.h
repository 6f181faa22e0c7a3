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

/* Returns whether it is the chosen signal, and installed. */
int chosen_signal_is(int signal);

/* Executes the program's sigaction() for it. Returns 0 or -errno. */
int chosen_signal_change_action(const struct sigaction *set,
				struct sigaction *old);

#endif
