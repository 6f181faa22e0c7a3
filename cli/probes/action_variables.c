/* SPDX-License-Identifier: MIT */
/* See action_variables.h. */
#include "cli/probes/action_variables.h"

#include <errno.h>

#include "cli/probes/action_members.h"
#include "expression/expression_scan.h"

static int take_variable(struct action_parser *r,
			 const struct variable *variable, size_t at,
			 struct rewritten *out)
{
	const char *why;
	char *text = variable_text(r->site, variable, r->arena, &why);

	if (!text)
		return action_wrong_at(r, at, why);
	if (variable->place == VARIABLE_IS_IN_MEMORY)
		return action_be_place(r, out, variable->type, text);
	return action_be_value(r, out, variable->type, text);
}

static const struct variable *find_variable(const struct action_parser *r,
					    const char *name, size_t bytes)
{
	const struct variables *all = &r->site->variables;

	for (uint32_t i = 0; i < all->header.variable_count; i++)
		if (all->list[i].name &&
		    scan_is(name, bytes,
			    variables_text(all, all->list[i].name)))
			return &all->list[i];
	return NULL;
}

/*
 * Sets *out to argN with its declared type. Returns 1, 0 if the type is
 * unknown, or -EINVAL if the type is not supported.
 */
static int take_argument(struct action_parser *r, unsigned int number,
			 const char *text, struct rewritten *out)
{
	const struct variables *all = &r->site->variables;

	for (uint32_t i = 0;
	     all->header.is_entry && i < all->header.variable_count; i++)
		if (all->list[i].argument == number)
			return action_be_value(r, out, all->list[i].type, text)
				       ? -EINVAL
				       : 1;
	return 0;
}

/*
 * Parses a word of the language of actions: ret, tid, or arg1 to arg6. Returns
 * 1, 0 if the name is another one, or -EINVAL.
 */
static int take_word_of_ours(struct action_parser *r, const char *name,
			     size_t bytes, struct rewritten *out)
{
	const struct variables_header *header = &r->site->variables.header;
	char *text = arena_printf(r->arena, "%.*s", (int)bytes, name);
	int done = 0;

	if (scan_is(name, bytes, "ret")) {
		if (r->is_return && header->has_result)
			done = action_be_value(r, out, header->result_type,
					       text)
				       ? -EINVAL
				       : 1;
	} else if (bytes == 4 && scan_is(name, 3, "arg") && name[3] >= '1' &&
		   name[3] <= '6') {
		done = take_argument(r, (unsigned int)(name[3] - '0'), text,
				     out);
	} else if (!scan_is(name, bytes, "tid")) {
		return 0;
	}
	if (!done)
		action_be_plain(out, text);
	return done < 0 ? done : 1;
}

/*
 * Parses a member of the object of a C++ method. Returns 1, 0 if the name is no
 * such member, or -EINVAL.
 */
static int take_own_member(struct action_parser *r, size_t bytes,
			   struct rewritten *out)
{
	const struct variable *self = find_variable(r, "this", 4);
	struct member_found found = { .member = NULL };
	const struct variable_type *type;

	if (!self)
		return 0;
	type = action_type_of(r, self->type);
	if (type->kind != TYPE_IS_POINTER ||
	    !action_find_member(r, type->target, r->line + r->at, bytes, 0,
				&found))
		return 0;
	if (take_variable(r, self, r->at, out))
		return -EINVAL;
	return action_take_arrow(r, out) ? -EINVAL : 1;
}

int action_parse_name(struct action_parser *r, struct rewritten *out)
{
	const size_t at = r->at;
	const size_t bytes = scan_name(r->line, r->bytes, at);
	const struct variable *variable;
	int done;

	if (!bytes)
		return action_wrong(r, "a value is missing");
	done = take_word_of_ours(r, r->line + at, bytes, out);
	if (done) {
		r->at += bytes;
		return done < 0 ? done : 0;
	}
	variable = find_variable(r, r->line + at, bytes);
	if (!variable) {
		done = take_own_member(r, bytes, out);
		if (done)
			return done < 0 ? done : 0;
		return action_wrong(r, "no variable of that name is in scope");
	}
	r->at += bytes;
	return take_variable(r, variable, at, out);
}
