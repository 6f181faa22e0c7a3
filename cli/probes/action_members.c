/* SPDX-License-Identifier: MIT */
/* See action_members.h. */
#include "cli/probes/action_members.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "expression/expression_scan.h"

/* Maximal nesting of base classes. */
#define MEMBERS_MAX 16
/* Maximum of members to check for one name. */
#define VISITS_MAX 10000

int action_find_member(const struct action_parser *r, uint32_t type,
		       const char *name, size_t bytes, unsigned int depth,
		       struct member_found *found)
{
	const struct variables *all = &r->site->variables;
	const struct variable_type *in = &all->types[type];

	for (uint32_t i = 0; i < in->member_count; i++) {
		const struct variable_member *member =
			&all->members[in->first_member + i];

		if (found->visited++ < VISITS_MAX && member->name &&
		    scan_is(name, bytes, variables_text(all, member->name))) {
			found->member = member;
			return 1;
		}
	}
	for (uint32_t i = 0; i < in->member_count && depth < MEMBERS_MAX; i++) {
		const struct variable_member *member =
			&all->members[in->first_member + i];

		if (member->name || member->bits ||
		    found->visited++ >= VISITS_MAX ||
		    !action_find_member(r, member->type, name, bytes, depth + 1,
					found))
			continue;
		found->offset += member->offset;
		if (member->why)
			found->member = member;
		return 1;
	}
	return 0;
}

static int refuse_member(struct action_parser *r, uint32_t type, size_t at)
{
	const struct variable_type *in = action_type_of(r, type);
	char what[256];

	if (in->kind != TYPE_IS_STRUCT)
		return action_wrong_at(r, at,
				       "the value before it is not a struct");
	snprintf(
		what, sizeof(what),
		in->is_declared
			? "debug information does not contain the members of %s"
			: "%s has no such member",
		action_type_name(r, type));
	return action_wrong_at(r, at, what);
}

int action_take_member(struct action_parser *r, struct rewritten *part)
{
	const struct variables *all = &r->site->variables;
	struct member_found found = { .member = NULL };
	const uint32_t type = part->type;
	char *address;
	size_t bytes, at;

	action_next(r);
	at = r->at;
	bytes = scan_name(r->line, r->bytes, at);
	if (!bytes)
		return action_wrong(r, "a member name is missing");
	if (!action_find_member(r, type, r->line + at, bytes, 0, &found))
		return refuse_member(r, type, at);
	if (found.member->why)
		return action_wrong_at(r, at,
				       variables_text(all, found.member->why));
	r->at += bytes;
	found.offset += found.member->offset;
	address = found.offset ? arena_printf(r->arena, "(%s+%" PRIu64 ")",
					      part->text, found.offset)
			       : part->text;
	if (action_be_place(r, part, found.member->type, address))
		return -EINVAL;
	part->bits = found.member->bits;
	part->bit_offset = found.member->bit_offset;
	return 0;
}

/*
 * Handles the "->" behind a part. An argument that is a reference counts as a
 * struct here, but its register contains a pointer.
 */
int action_take_arrow(struct action_parser *r, struct rewritten *part)
{
	if (part->kind == PART_IS_PLACE && !part->bits &&
	    action_type_of(r, part->type)->kind == TYPE_IS_STRUCT)
		return action_take_member(r, part);
	if (action_to_value(r, part))
		return -EINVAL;
	if (part->kind != PART_IS_POINTER)
		return action_wrong(r, "not a pointer to a struct");
	*part = (struct rewritten){ .kind = PART_IS_PLACE,
				    .text = arena_printf(r->arena, "(%s)",
							 part->text),
				    .type = part->type };
	return action_take_member(r, part);
}
