/* SPDX-License-Identifier: MIT */
/* Signals by which users end a command that must first undo its changes. */
#ifndef CLEW_CLI_TARGET_ENDING_SIGNALS_H
#define CLEW_CLI_TARGET_ENDING_SIGNALS_H

/*
 * Blocks these signals and returns a descriptor that is readable when one is
 * pending, or -1. A child that executes another program must unblock them.
 */
int ending_signals_watch(void);

/* Returns whether a signal is pending. */
int ending_signals_have_come(void);

/* Waits up to `ms` milliseconds for a signal. Returns whether one arrived. */
int ending_signals_wait(int signals, int ms);

#endif
