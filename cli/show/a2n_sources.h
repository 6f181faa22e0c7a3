/* SPDX-License-Identifier: MIT */
/* Sources of `clew a2n` besides a file: processes and generated code. */
#ifndef CLEW_CLI_SHOW_A2N_SOURCES_H
#define CLEW_CLI_SHOW_A2N_SOURCES_H

#include "symbolizer/a2n.h"

struct a2n_sources {
	const char *command;            /* Named in errors. */
	int pid;                        /* 0 if none. */
	const char *perf_map, *jitdump; /* Files, or NULL. */
	int is_verbose;                 /* Print how much was read. */
};

static inline int a2n_sources_are_there(const struct a2n_sources *sources)
{
	return sources->pid || sources->perf_map || sources->jitdump;
}

/*
 * Creates a space, which the caller destroys, with the contents of all sources.
 * Prints messages about the sources that cannot be read. Returns 0 or -errno.
 * It is no error if the process of `pid` has written no readable perf map.
 */
int a2n_sources_read(const struct a2n_sources *sources, struct a2n *a2n,
		     struct a2n_space **out);

#endif
