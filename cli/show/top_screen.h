/* SPDX-License-Identifier: MIT */
/* `clew top` on a terminal. */
#ifndef CLEW_CLI_SHOW_TOP_SCREEN_H
#define CLEW_CLI_SHOW_TOP_SCREEN_H

#include "cli/show/top_target.h"
#include "cli/show/top_view.h"

/*
 * Runs until the user quits or `signals` is readable (ending_signals.h), and
 * then restores the terminal. Returns 0, or -errno and *why.
 */
int top_screen_run(struct top_view *view, struct top_target *target,
		   struct live_counts *counts, int signals, char **why);

#endif
