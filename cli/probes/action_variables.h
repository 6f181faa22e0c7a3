/* SPDX-License-Identifier: MIT */
/*
 * Parses names: arguments, results, variables in scope, and members of a
 * method's object.
 */
#ifndef CLEW_CLI_PROBES_ACTION_VARIABLES_H
#define CLEW_CLI_PROBES_ACTION_VARIABLES_H

#include "cli/probes/action_parts.h"

/* Parses a name at the parser's position into *out. Returns 0 or -EINVAL. */
int action_parse_name(struct action_parser *r, struct rewritten *out);

#endif
