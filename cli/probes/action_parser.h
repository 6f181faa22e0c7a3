/* SPDX-License-Identifier: MIT */
/* An action of a probe that is read (action_rewriting.h): where, for what, and what is wrong. */
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

/* -EINVAL, and *why: what is wrong with the line, there or from a place on. */
int action_wrong(struct action_parser *r, const char *what);
int action_wrong_at(struct action_parser *r, size_t at, const char *what);

/* The next letter that is no blank. */
char action_next(struct action_parser *r);

/* Whether a sign is next, which is passed over then. */
int action_take(struct action_parser *r, const char *sign);

/* The text from a place up to here. */
char *action_copy(struct action_parser *r, size_t from);

/* At an opening quote, to behind the closing one. */
int action_skip_quoted(struct action_parser *r);

#endif
