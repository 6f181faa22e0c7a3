/* SPDX-License-Identifier: MIT */
/* How commands parse their arguments: by argp, with options for help of clew's own. */
#ifndef CLEW_CLI_COMMON_COMMAND_LINE_H
#define CLEW_CLI_COMMON_COMMAND_LINE_H

#include <argp.h>

/*
 * Parses as argp_parse() does, and exits with EX_USAGE after an error. --help, --usage and
 * --version are understood by every command. An unknown option is reported with the nearest
 * one that the command has.
 */
void command_line_parse(const struct argp *argp, int argc, char **argv,
			unsigned int flags, void *input);

/* The same for a command whose first word begins another program's command line. */
void command_line_parse_program(const struct argp *argp, int argc, char **argv,
				void *input);

#endif
