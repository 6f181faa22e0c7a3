/* SPDX-License-Identifier: MIT */
/*
 * Signals by which users end a command (SIGINT, SIGQUIT, SIGTERM, SIGHUP). A
 * command that has to undo changes of processes blocks these signals and polls
 * for them.
 */
#ifndef CLEW_CLI_TARGET_ENDING_SIGNALS_H
#define CLEW_CLI_TARGET_ENDING_SIGNALS_H

/*
 * Blocks these signals in the calling thread. Returns a descriptor that is
 * readable while such a signal is pending, or -1. A forked child must unblock
 * them before it executes another program.
 */
int ending_signals_watch(void);

/*
 * Closes the descriptor and unblocks the signals. A pending signal then ends
 * the process, unless the signal is ignored.
 */
void ending_signals_unwatch(int signals);

/* Returns whether one of these signals is pending. */
int ending_signals_have_come(void);

/*
 * Waits up to `ms` milliseconds for one of these signals. `signals` is the
 * descriptor of ending_signals_watch(). Returns whether a signal is pending.
 */
int ending_signals_wait(int signals, int ms);

/* Forgets pending signals, so that only later ones are waited for. */
void ending_signals_consume(int signals);

#endif
