/* SPDX-License-Identifier: MIT */
/*
 * Resolves variables in a probe's actions, for the probe's location in a file.
 */
#ifndef CLEW_CLI_PROBES_PROBE_VARIABLES_H
#define CLEW_CLI_PROBES_PROBE_VARIABLES_H

#include "image/arena.h"
#include "image/probe_spec.h"

struct probe_variables {
	const char **lines; /* The number of lines is line_count. */
	size_t line_count;
	int is_typed; /* A line uses variables or types. */
};

/*
 * Rewrites those lines that the library does not accept as they are. A
 * rewritten line has the user's text in front (PROBE_ACTION_MARK). `path` is
 * the file that contains the probe, or NULL. Returns 0, or -errno and *why.
 */
int probe_variables_settle(struct probe_variables *actions,
			   const struct probe_spec *spec, const char *path,
			   struct arena *arena, char **why);

#endif
