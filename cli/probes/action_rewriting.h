/* SPDX-License-Identifier: MIT */
/*
 * Rewrites actions of probes (expression/probe_action.h) without the variables
 * and types of the program. The user's text may contain:
 *
 *	node->left->key		variables in scope, arg1 ... arg6, ret
 *	s.member  p[i]  *p  &x	with C's meaning; an array is a pointer to its
 *				first element
 *
 * A pointer to characters is a string by default.
 */
#ifndef CLEW_CLI_PROBES_ACTION_REWRITING_H
#define CLEW_CLI_PROBES_ACTION_REWRITING_H

#include "cli/probes/variable_text.h"

/*
 * Returns the names in the lines that may be variables or members, and `this`,
 * each once, and their number in *count. Omits further names if there are more
 * than 64.
 */
const char *const *action_names(const char *const *lines, size_t line_count,
				struct arena *arena, size_t *count);

/*
 * Returns the rewritten line for a site. is_return says that the instruction
 * there leaves the function. On failure returns NULL, and *why, which the
 * caller frees.
 */
char *action_rewrite(const char *line, const struct variable_site *site,
		     int is_return, struct arena *arena, char **why);

#endif
