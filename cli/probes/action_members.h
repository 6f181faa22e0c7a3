/* SPDX-License-Identifier: MIT */
/*
 * Parses members of structs, unions and classes, including those of base
 * classes and unnamed members.
 */
#ifndef CLEW_CLI_PROBES_ACTION_MEMBERS_H
#define CLEW_CLI_PROBES_ACTION_MEMBERS_H

#include "cli/probes/action_parts.h"

struct member_found {
	const struct variable_member *member;
	uint64_t offset; /* Offset in the outer type. */
	unsigned int visited;
};

/*
 * Returns whether a type has a member of that name. `depth` is the depth of
 * nesting, at first 0.
 */
int action_find_member(const struct action_parser *r, uint32_t type,
		       const char *name, size_t bytes, unsigned int depth,
		       struct member_found *found);

/* r->at is behind the "." or "->". Return 0 or -EINVAL. */
int action_take_member(struct action_parser *r, struct rewritten *part);
int action_take_arrow(struct action_parser *r, struct rewritten *part);

#endif
