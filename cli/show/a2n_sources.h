/* SPDX-License-Identifier: MIT */
/* What `clew a2n` can ask instead of a file: processes and generated code. */
#ifndef CLEW_CLI_SHOW_A2N_SOURCES_H
#define CLEW_CLI_SHOW_A2N_SOURCES_H

#include "symbolizer/a2n.h"

struct a2n_sources {
	const char *command;            /* which complains */
	int pid;                        /* or 0 */
	const char *perf_map, *jitdump; /* files, or NULL */
	int is_verbose;                 /* says how much was read */
};

static inline int a2n_sources_are_there(const struct a2n_sources *sources)
{
	return sources->pid || sources->perf_map || sources->jitdump;
}

/* A space with all of them, to be destroyed. 0, or -errno. */
int a2n_sources_read(const struct a2n_sources *sources, struct a2n *a2n,
		     struct a2n_space **out);

#endif
