/* SPDX-License-Identifier: MIT */
/* Signals by which users end a command that has something to put back then. */
#ifndef CLEW_CLI_TARGET_ENDING_SIGNALS_H
#define CLEW_CLI_TARGET_ENDING_SIGNALS_H

/*
 * From now on they wait, and make this descriptor readable. A child that runs another
 * program must unblock them. -1: there is no descriptor left.
 */
int ending_signals_watch(void);

/* Whether one waits that was not read. */
int ending_signals_have_come(void);

/* Waits so many milliseconds for one of them. Whether one has come. */
int ending_signals_wait(int signals, int ms);

#endif
