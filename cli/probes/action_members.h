/* SPDX-License-Identifier: MIT */
/* Members of structs, unions and classes, those of base classes and unnamed ones included. */
#ifndef CLEW_CLI_PROBES_ACTION_MEMBERS_H
#define CLEW_CLI_PROBES_ACTION_MEMBERS_H

#include "cli/probes/action_parts.h"

struct member_found {
	const struct variable_member *member;
	uint64_t offset; /* of what it is in */
	unsigned int looks;
};

/* Whether a type has a member of that name, at this depth in others, 0 at first. */
int action_find_member(const struct action_parser *r, uint32_t type,
		       const char *name, size_t bytes, unsigned int depth,
		       struct member_found *found);

/* r->at is behind the "." or "->"; 0 or -EINVAL. */
int action_take_member(struct action_parser *r, struct rewritten *part);
int action_take_arrow(struct action_parser *r, struct rewritten *part);

#endif
