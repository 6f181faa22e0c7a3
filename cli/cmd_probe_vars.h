/* SPDX-License-Identifier: MIT */
/* clew probe --vars: which variables a probe's actions can speak of. */
#ifndef CLEW_CLI_CMD_PROBE_VARS_H
#define CLEW_CLI_CMD_PROBE_VARS_H

#include "cli/probes/probe_file.h"

/* Of all places that are meant, on standard output. 0, or -errno and *why. */
int print_probe_variables(const struct probe_file *file, const char *path,
			  const struct probe_spec *spec, char **why);

#endif
