/* SPDX-License-Identifier: MIT */
/* How a command shows its tables to people: options for its argp. */
#ifndef CLEW_CLI_COMMON_TERMINAL_H
#define CLEW_CLI_COMMON_TERMINAL_H

#include <argp.h>

#include "cli/common/pager.h"

enum when { WHEN_AUTO, WHEN_ALWAYS, WHEN_NEVER };

/* Zero is the default. */
struct terminal {
	enum when color;
	int without_pager;
	int is_wide;
	struct pager pager;
};

/* As .children; child_inputs[0] is a struct terminal. */
extern const struct argp_child terminal_children[];

/*
 * Called before anything is written. Returns whether to write in colour: if
 * asked to, or on a terminal that knows colours unless $NO_COLOR is set.
 */
int terminal_begin(struct terminal *terminal);

/*
 * The columns of a line of prose, asked for before terminal_begin(): the terminal's, or
 * 80 where there is none; 0, which is any number, with --wide.
 */
unsigned int terminal_prose_width(const struct terminal *terminal);

/* 0 if all of stdout was written, else a complaint and the failure's status. */
int terminal_finish(struct terminal *terminal, const char *command);

#endif
