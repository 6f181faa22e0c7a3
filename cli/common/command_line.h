/* SPDX-License-Identifier: MIT */
/* Parses arguments of commands by argp, with clew's own help options. */
#ifndef CLEW_CLI_COMMON_COMMAND_LINE_H
#define CLEW_CLI_COMMON_COMMAND_LINE_H

#include <argp.h>

/*
 * Parses like argp_parse(), and exits with EX_USAGE after an error. Every
 * command understands --help, --usage and --version. An unknown option is
 * reported, with the nearest option of the command if one is similar.
 */
void command_line_parse(const struct argp *argp, int argc, char **argv,
			unsigned int flags, void *input);

/*
 * Like command_line_parse(), for a command whose first word begins another
 * program's command line.
 */
void command_line_parse_program(const struct argp *argp, int argc, char **argv,
				void *input);

#endif
