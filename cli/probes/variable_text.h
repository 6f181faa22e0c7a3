/* SPDX-License-Identifier: MIT */
/* Where a variable is, as an expression that a probe knows (expression/). */
#ifndef CLEW_CLI_PROBES_VARIABLE_TEXT_H
#define CLEW_CLI_PROBES_VARIABLE_TEXT_H

#include "cli/probes/frame_place.h"
#include "image/arena.h"
#include "symbolizer/variables/variables.h"

/* The variables at a place, and what they are counted from. */
struct variable_site {
	uint64_t vaddr;
	struct variables variables;
	struct frame_place frame;
};

/* printf into the arena. */
char *arena_printf(struct arena *arena, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * Its address, or if it has none its value, in as few parentheses as can stand
 * anywhere. NULL and *why, which lives as long as the arena.
 */
char *variable_text(const struct variable_site *site,
		    const struct variable *variable, struct arena *arena,
		    const char **why);

#endif
