/* SPDX-License-Identifier: MIT */
/*
 * Shows long tables on a terminal: in a pager, or with lines cut at its width.
 * Does nothing if stdout is no terminal.
 */
#ifndef CLEW_CLI_COMMON_PAGER_H
#define CLEW_CLI_COMMON_PAGER_H

#include <stdio.h>
#include <sys/types.h>

struct pager {
	pid_t pid;   /* 0 if none was started. */
	FILE *whole; /* stdout before lines were cut, or NULL. */
};

/*
 * Connects stdout to a pager: $CLEW_PAGER, $PAGER or less(1), which gets
 * LESS=FRSX if LESS is not set. A user who has been given another user's rights
 * (sudo) only gets less(1) in its secure mode. Without a pager (`wanted` is 0,
 * no such program, or "cat"), lines are cut at the terminal's width, unless
 * is_wide.
 */
void pager_start(struct pager *pager, int wanted, int is_wide);

/*
 * Returns the columns of the terminal at stdout, or 0 if stdout is no terminal.
 */
int pager_terminal_width(void);

/*
 * Waits until the user closes the pager. stdout is then closed; without a
 * pager, it is the former stdout.
 */
void pager_finish(struct pager *pager);

#endif
