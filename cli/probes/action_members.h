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
	/*
	 * Offset of the struct that contains the member in the outer type: not
	 * 0 only in unnamed members and base classes.
	 */
	uint64_t offset;
	unsigned int visited; /* Number of members that were checked. */
};

/*
 * Returns whether a type has a member whose name is the first `bytes` bytes of
 * `name`, and sets *found, which the caller has zero-initialized. Checks at
 * most 10,000 members. found->member is the member or, if an unnamed member
 * that contains it is not available (variable_member.why), that unnamed member.
 * `depth` is the depth of nesting, at first 0.
 */
int action_find_member(const struct action_parser *r, uint32_t type,
		       const char *name, size_t bytes, unsigned int depth,
		       struct member_found *found);

/*
 * Parse the member's name behind "." or "->" at r->at, and set *part to the
 * member. Return 0 or -EINVAL.
 */
int action_take_member(struct action_parser *r, struct rewritten *part);
int action_take_arrow(struct action_parser *r, struct rewritten *part);

#endif
