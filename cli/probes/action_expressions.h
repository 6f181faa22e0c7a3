/* SPDX-License-Identifier: MIT */
/* Parses expressions in an action. */
#ifndef CLEW_CLI_PROBES_ACTION_EXPRESSIONS_H
#define CLEW_CLI_PROBES_ACTION_EXPRESSIONS_H

#include "cli/probes/action_parts.h"

/* Parses one expression that has a value. Returns 0 or -EINVAL. */
int action_parse_value(struct action_parser *r, struct rewritten *out);

/*
 * Returns the length of the format, such as "/x", at r->at; 0 if there is no
 * format.
 */
size_t action_format_at(const struct action_parser *r);

#endif
