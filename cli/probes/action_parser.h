/* SPDX-License-Identifier: MIT */
/* The state of parsing a probe's action (action_rewriting.h). */
#ifndef CLEW_CLI_PROBES_ACTION_PARSER_H
#define CLEW_CLI_PROBES_ACTION_PARSER_H

#include "cli/probes/variable_text.h"

struct action_parser {
	const char *line;
	size_t bytes;
	size_t at;
	const struct variable_site *site;
	int is_return;
	struct arena *arena;
	char **why;
	unsigned int nesting;
};

/* Return -EINVAL and *why: the error in the line, at r->at or at `at`. */
int action_wrong(struct action_parser *r, const char *what);
int action_wrong_at(struct action_parser *r, size_t at, const char *what);

/*
 * Skips blanks. Returns the character behind them, or 0 at the end of the line.
 */
char action_next(struct action_parser *r);

/* Skips a sign if it is next. Returns whether it is. */
int action_take(struct action_parser *r, const char *sign);

/* Returns the text from `from` to r->at. */
char *action_copy(struct action_parser *r, size_t from);

/* Skips a quoted text, from its opening quote. Returns 0 or -EINVAL. */
int action_skip_quoted(struct action_parser *r);

#endif
