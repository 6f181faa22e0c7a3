/* SPDX-License-Identifier: MIT */
/* What `--args FUNCTION` records, as debug information has it. */
#ifndef CLEW_CLI_PROBES_ARGUMENT_LINE_H
#define CLEW_CLI_PROBES_ARGUMENT_LINE_H

#include "image/probe_spec.h"

/*
 * An action that records the parameters of the function at a place in a file, those that
 * are integers or pointers, by their names; NULL in *out if it has none. For free(). 0,
 * or -errno and *why: there is no debug information, say.
 */
int argument_line(const struct probe_spec *spec, const char *path, char **out,
		  char **why);

#endif
