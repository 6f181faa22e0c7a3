/* SPDX-License-Identifier: MIT */
/* The option --source-path of commands that show sources. */
#ifndef CLEW_CLI_SHOW_SOURCE_PATHS_H
#define CLEW_CLI_SHOW_SOURCE_PATHS_H

#include <argp.h>

#include "cli/common/help.h"
#include "report/code/source_files.h"

/* clang-format off */
#define ROW_SOURCE_PATH(key, flags) \
	{ "source-path", key, "OLD=NEW", flags, \
	  "Search sources of OLD/... in NEW/...; repeatable", HELP_SOURCES }
/* clang-format on */

/*
 * Adds the option's value to *sources, or reports an error of usage as
 * argp_error() does.
 */
void parse_source_path(struct argp_state *state, const char *text,
		       struct source_files *sources);

#endif
