/* SPDX-License-Identifier: MIT */
/* See action_parser.h. */
#include "cli/probes/action_parser.h"

#include <errno.h>
#include <string.h>

#include "base/fail.h"
#include "expression/expression_scan.h"

int action_wrong_at(struct action_parser *r, size_t at, const char *what)
{
	const struct variables *all = &r->site->variables;

	return fail(r->why, -EINVAL, "action %s: %s%s%s%s%s%s", r->line, what,
		    r->line[at] ? ", at \"" : "", r->line + at,
		    r->line[at] ? "\"" : "", all->header.note ? ": " : "",
		    variables_text(all, all->header.note));
}

int action_wrong(struct action_parser *r, const char *what)
{
	return action_wrong_at(r, r->at, what);
}

char action_next(struct action_parser *r)
{
	r->at = scan_blanks(r->line, r->bytes, r->at);
	return r->line[r->at];
}

int action_take(struct action_parser *r, const char *sign)
{
	const size_t bytes = strlen(sign);

	action_next(r);
	if (strncmp(r->line + r->at, sign, bytes) != 0)
		return 0;
	r->at += bytes;
	return 1;
}

char *action_copy(struct action_parser *r, size_t from)
{
	return arena_printf(r->arena, "%.*s", (int)(r->at - from),
			    r->line + from);
}

int action_skip_quoted(struct action_parser *r)
{
	const char quote = r->line[r->at++];

	for (; r->line[r->at] && r->line[r->at] != quote; r->at++)
		if (r->line[r->at] == '\\' && r->line[r->at + 1])
			r->at++;
	if (!r->line[r->at])
		return action_wrong(r, "the closing quote is missing");
	r->at++;
	return 0;
}
