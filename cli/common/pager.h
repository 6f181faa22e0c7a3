/* SPDX-License-Identifier: MIT */
/*
 * What a terminal needs of a long table: a pager, or else lines that are cut
 * at its width. Nothing of this happens where stdout is no terminal.
 */
#ifndef CLEW_CLI_COMMON_PAGER_H
#define CLEW_CLI_COMMON_PAGER_H

#include <stdio.h>
#include <sys/types.h>

struct pager {
	pid_t pid;   /* 0: none was started */
	FILE *whole; /* NULL, or stdout before its lines were cut */
};

/*
 * Puts a pager before stdout: $CLEW_PAGER, $PAGER or less(1), which gets
 * LESS=FRSX if LESS is not set. Without one (`wanted` 0, no such program, or
 * "cat") lines are cut at the terminal's width, unless `is_wide`.
 */
void pager_start(struct pager *pager, int wanted, int is_wide);

/* The columns of the terminal that stdout is; 0: it is none. */
int pager_terminal_width(void);

/*
 * Lets the user read to the end. stdout is closed if there was a pager, and
 * else the one that it was before.
 */
void pager_finish(struct pager *pager);

#endif
