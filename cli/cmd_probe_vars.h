/* SPDX-License-Identifier: MIT */
/* `clew probe --vars`: the variables that a probe's actions can use. */
#ifndef CLEW_CLI_CMD_PROBE_VARS_H
#define CLEW_CLI_CMD_PROBE_VARS_H

#include "cli/probes/probe_file.h"

/*
 * Prints the variables at all matching locations, up to the first location at
 * which they cannot be read. Returns 0, or -errno and *why.
 */
int print_probe_variables(const struct probe_file *file, const char *path,
			  const struct probe_spec *spec, char **why);

#endif
