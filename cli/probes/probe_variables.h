/* SPDX-License-Identifier: MIT */
/* The actions of a probe in words that its place in a file gives a meaning to. */
#ifndef CLEW_CLI_PROBES_PROBE_VARIABLES_H
#define CLEW_CLI_PROBES_PROBE_VARIABLES_H

#include "image/arena.h"
#include "image/probe_spec.h"

struct probe_variables {
	const char **lines; /* line_count of them */
	size_t line_count;
	int is_typed; /* some speak of variables or types */
};

/*
 * The lines as the library knows them: those that need it with what was asked for in
 * front (PROBE_ACTION_MARK). `path`: of the file that the probe is in, or NULL. 0, or
 * -errno and *why.
 */
int probe_variables_settle(struct probe_variables *actions,
			   const struct probe_spec *spec, const char *path,
			   struct arena *arena, char **why);

#endif
