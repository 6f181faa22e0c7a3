/* SPDX-License-Identifier: MIT */
/* The action of `--args FUNCTION`, from debug information. */
#ifndef CLEW_CLI_PROBES_ARGUMENT_LINE_H
#define CLEW_CLI_PROBES_ARGUMENT_LINE_H

#include "image/probe_spec.h"

/*
 * Stores an action that records the function's parameters that are integers or
 * pointers (the first WIRE_PROBE_FIELDS_MAX), with their names; NULL in *out if
 * there are none. The caller frees it. Returns 0; or -errno and *why, for
 * example without debug information.
 */
int argument_line(const struct probe_spec *spec, const char *path, char **out,
		  char **why);

#endif
