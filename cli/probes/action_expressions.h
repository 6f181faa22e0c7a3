/* SPDX-License-Identifier: MIT */
/* Expressions of an action. */
#ifndef CLEW_CLI_PROBES_ACTION_EXPRESSIONS_H
#define CLEW_CLI_PROBES_ACTION_EXPRESSIONS_H

#include "cli/probes/action_parts.h"

/* One expression, which has a value. 0 or -EINVAL. */
int action_parse_value(struct action_parser *r, struct rewritten *out);

/* How long the format is that begins here; 0: there is none. */
size_t action_format_at(const struct action_parser *r);

#endif
