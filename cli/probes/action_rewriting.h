/* SPDX-License-Identifier: MIT */
/*
 * Actions of probes (expression/probe_action.h) that speak of the program's variables
 * and types, in words that know none:
 *
 *	node->left->key		of variables in scope, and of arg1 ... arg6, ret
 *	s.member  p[i]  *p  &x	with C's meaning; arrays are pointers to their first
 *
 * A pointer to characters is a string if nothing else is said.
 */
#ifndef CLEW_CLI_PROBES_ACTION_REWRITING_H
#define CLEW_CLI_PROBES_ACTION_REWRITING_H

#include "cli/probes/variable_text.h"

/* All names in a line that may be variables or members, *count of them. */
const char *const *action_names(const char *const *lines, size_t line_count,
				struct arena *arena, size_t *count);

/*
 * The line for a site; is_return: what stands there leaves the function. NULL and *why,
 * for free().
 */
char *action_rewrite(const char *line, const struct variable_site *site,
		     int is_return, struct arena *arena, char **why);

#endif
