/* SPDX-License-Identifier: MIT */
/* Options for the output of tables, for a command's argp. */
#ifndef CLEW_CLI_COMMON_TERMINAL_H
#define CLEW_CLI_COMMON_TERMINAL_H

#include <argp.h>

#include "cli/common/pager.h"

enum when { WHEN_AUTO, WHEN_ALWAYS, WHEN_NEVER };

/* Zero-initialized: the defaults. */
struct terminal {
	enum when color;
	int without_pager;
	int is_wide;
	struct pager pager;
};

/* Use as .children; child_inputs[0] is a struct terminal. */
extern const struct argp_child terminal_children[];

/* The option --color only, for use as .children. */
extern const struct argp_child color_children[];

/*
 * Returns whether to use colours: on request, or on a terminal with colours
 * unless $NO_COLOR is set.
 */
int terminal_has_color(const struct terminal *terminal);

/* Must precede all output. Returns terminal_has_color(). */
int terminal_begin(struct terminal *terminal);

/*
 * Returns the columns for a line of prose: one fewer than the terminal has, or
 * 80 without one; 0 for no limit, with --wide. Call it before terminal_begin().
 */
unsigned int terminal_prose_width(const struct terminal *terminal);

/*
 * Returns the columns for a line of a table: one fewer than the terminal has; 0
 * for no limit, without a terminal or with --wide. Call it before
 * terminal_begin().
 */
unsigned int terminal_table_width(const struct terminal *terminal);

/*
 * With a pager, waits for its end and returns 0. Otherwise returns 0 if all of
 * stdout was written, or prints an error and returns the exit status of
 * failure.
 */
int terminal_finish(struct terminal *terminal, const char *command);

#endif
