/* SPDX-License-Identifier: MIT */
/*
 * Converts the location of a variable to an expression of a probe
 * (expression/).
 */
#ifndef CLEW_CLI_PROBES_VARIABLE_TEXT_H
#define CLEW_CLI_PROBES_VARIABLE_TEXT_H

#include "cli/probes/frame_place.h"
#include "image/arena.h"
#include "symbolizer/variables/variables.h"

/* The variables at an instruction, and the frame that they are relative to. */
struct variable_site {
	uint64_t vaddr;
	struct variables variables;
	struct frame_place frame;
};

/* Like printf(), into the arena. */
char *arena_printf(struct arena *arena, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * Returns an expression for the variable's address, or for its value if it has
 * no address. The text has the parentheses that any context needs. Returns NULL
 * and *why, which lives as long as the arena.
 */
char *variable_text(const struct variable_site *site,
		    const struct variable *variable, struct arena *arena,
		    const char **why);

#endif
