/* SPDX-License-Identifier: MIT */
/*
 * The text that `--help` prints for a command, from the option tables of its
 * argp.
 *
 * If a command has more than ten options, the most useful ones (HELP_FIRST) are
 * listed first, and all others follow by purpose. A text that is longer than a
 * screen is cut to these first options and the names of the others;
 * `--help=all` prints all of it.
 */
#ifndef CLEW_CLI_COMMON_HELP_H
#define CLEW_CLI_COMMON_HELP_H

#include <argp.h>
#include <stdio.h>

/* A flag of an argp_option, which argp ignores: list the option first. */
#define HELP_FIRST 0x1000

/* Purposes of options: the groups of option tables, in this order. */
enum help_group {
	HELP_PROCESSES = 1,
	HELP_OUTPUT,
	HELP_SELECTION,
	HELP_TIME,
	HELP_TRACES,
	HELP_SNAPSHOTS,
	HELP_PROBES,
	HELP_JAVA,
	HELP_LIMITS,
	HELP_PUSH,
	HELP_VIEWS,
	HELP_SOURCES,
	HELP_FILTERS,
	HELP_WINDOW,
	HELP_CONTENTS,
	HELP_TERMINAL,
	HELP_HELP,
};

enum help_extent {
	/*
	 * as HELP_ALL, or a short text if that has more than HELP_LINES_MAX
	 * lines
	 */
	HELP_BRIEF,
	HELP_ALL,
	HELP_LINES, /* Each option on one line, for shell completion. */
};

enum { HELP_LINES_MAX = 45 };

/*
 * Prints the help of a command. `name` is the command as the user types it:
 * "clew record".
 */
void help_print(FILE *out, const char *name, const struct argp *argp,
		enum help_extent extent);

#endif
