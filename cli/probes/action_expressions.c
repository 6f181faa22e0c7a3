/* SPDX-License-Identifier: MIT */
/*
 * Parses by recursive descent, with C's grammar as in expression/. The output
 * has the same grammar: text without the program's types is unchanged.
 */
#include "cli/probes/action_expressions.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "cli/probes/action_members.h"
#include "cli/probes/action_variables.h"
#include "expression/expression_scan.h"
#include "expression/expression_type.h"

#define NESTING_MAX 24

static int parse_binary(struct action_parser *r, unsigned int least,
			struct rewritten *out);
static int parse_unary(struct action_parser *r, struct rewritten *out);

static int take_index(struct action_parser *r, struct rewritten *part)
{
	struct rewritten index;
	uint64_t bytes;

	if (action_to_value(r, part) || parse_binary(r, 0, &index) ||
	    action_to_value(r, &index))
		return -EINVAL;
	if (index.kind != PART_IS_PLAIN)
		return action_wrong(r, "an index cannot be a pointer");
	if (!action_take(r, "]"))
		return action_wrong(r, "\"]\" is missing");
	if (part->kind == PART_IS_PLAIN) {
		part->text = arena_printf(r->arena, "%s[%s]", part->text,
					  index.text);
		return 0;
	}
	if (action_element_bytes(r, part->type, &bytes))
		return -EINVAL;
	return action_be_place(r, part, part->type,
			       arena_printf(r->arena,
					    "((void *)%s+(%s)*%" PRIu64 ")",
					    part->text, index.text, bytes));
}

static int parse_parenthesis(struct action_parser *r, struct rewritten *out)
{
	struct expression_type cast;
	const size_t open = r->at++;
	char *text;

	if (expression_type_parse(r->line, r->bytes, &r->at, &cast) == 0 &&
	    action_take(r, ")")) {
		text = action_copy(r, open);
		if (parse_unary(r, out) || action_to_value(r, out))
			return -EINVAL;
		action_be_plain(
			out, arena_printf(r->arena, "%s%s", text, out->text));
		return 0;
	}
	r->at = open + 1;
	if (parse_binary(r, 0, out))
		return -EINVAL;
	if (!action_take(r, ")"))
		return action_wrong(r, "\")\" is missing");
	if (out->kind != PART_IS_PLACE)
		out->text = arena_printf(r->arena, "(%s)", out->text);
	return 0;
}

static int parse_primary(struct action_parser *r, struct rewritten *out)
{
	const char c = action_next(r);
	const size_t at = r->at;

	if (c == '(')
		return parse_parenthesis(r, out);
	if (c == '"')
		return action_wrong(
			r, "a string is allowed only to the right of == or !=");
	if (c == '\'') {
		if (action_skip_quoted(r))
			return -EINVAL;
	} else if (c == '$' || scan_is_digit(c)) {
		for (r->at++; scan_is_letter(r->line[r->at]) ||
			      scan_is_digit(r->line[r->at]);)
			r->at++;
	} else {
		return action_parse_name(r, out);
	}
	action_be_plain(out, action_copy(r, at));
	return 0;
}

static int parse_postfix(struct action_parser *r, struct rewritten *out)
{
	int err = parse_primary(r, out);

	while (!err) {
		if (action_take(r, "["))
			err = take_index(r, out);
		else if (action_take(r, "->"))
			err = action_take_arrow(r, out);
		else if (action_next(r) == '.' && out->kind != PART_IS_PLACE)
			err = action_wrong(
				r, "the value before it is not a struct");
		else if (action_take(r, "."))
			err = action_take_member(r, out);
		else
			return 0;
	}
	return err;
}

static int parse_address(struct action_parser *r, struct rewritten *out)
{
	const size_t at = r->at;

	if (parse_unary(r, out))
		return -EINVAL;
	if (out->kind != PART_IS_PLACE || out->bits)
		return action_wrong_at(r, at, "the value has no address here");
	action_be_pointer(out, out->type,
			  arena_printf(r->arena, "(%s)%s",
				       action_pointer_to(r, out->type),
				       out->text));
	return 0;
}

static int parse_prefixed(struct action_parser *r, struct rewritten *out)
{
	const char c = action_next(r);

	if (c != '-' && c != '!' && c != '~' && c != '*' && c != '&')
		return parse_postfix(r, out);
	r->at++;
	if (c == '&')
		return parse_address(r, out);
	if (parse_unary(r, out))
		return -EINVAL;
	if (c == '*')
		return action_follow(r, out);
	if (action_to_value(r, out))
		return -EINVAL;
	action_be_plain(out, arena_printf(r->arena, "%c%s", c, out->text));
	return 0;
}

static int parse_unary(struct action_parser *r, struct rewritten *out)
{
	int err;

	if (r->nesting == NESTING_MAX)
		return action_wrong(r, "the expression is nested too deeply");
	r->nesting++;
	err = parse_prefixed(r, out);
	r->nesting--;
	return err;
}

/*
 * The operators, with the precedence that they have in expression/. A longer
 * operator precedes its prefixes.
 */
static const struct joint {
	const char *text;
	unsigned int binds;
} joints[] = {
	{ "||", 1 }, { "&&", 2 }, { "==", 6 }, { "!=", 6 }, { "<<", 8 },
	{ ">>", 8 }, { "<=", 7 }, { ">=", 7 }, { "<", 7 },  { ">", 7 },
	{ "|", 3 },  { "^", 4 },  { "&", 5 },  { "+", 9 },  { "-", 9 },
	{ "*", 10 }, { "/", 10 }, { "%", 10 },
};

size_t action_format_at(const struct action_parser *r)
{
	size_t end = r->at + 1;

	if (r->line[r->at] != '/' || !r->line[end] ||
	    !strchr("duxcs", r->line[end]))
		return 0;
	for (end++; scan_is_digit(r->line[end]);)
		end++;
	return scan_name(r->line, r->bytes, end) ? 0 : end - r->at;
}

static const struct joint *next_joint(struct action_parser *r)
{
	action_next(r);
	if (action_format_at(r))
		return NULL;
	for (size_t i = 0; i < sizeof(joints) / sizeof(*joints); i++)
		if (strncmp(r->line + r->at, joints[i].text,
			    strlen(joints[i].text)) == 0)
			return &joints[i];
	return NULL;
}

/* Adds a number to a pointer, subtracts it, or subtracts two pointers. */
static int move_pointer(struct action_parser *r, const struct joint *joint,
			struct rewritten *left, const struct rewritten *right)
{
	uint64_t bytes;

	if (action_element_bytes(r, left->type, &bytes))
		return -EINVAL;
	if (right->kind == PART_IS_PLAIN) {
		action_be_pointer(
			left, left->type,
			arena_printf(
				r->arena, "(%s)((void *)%s%s(%s)*%" PRIu64 ")",
				action_pointer_to(r, left->type), left->text,
				joint->text, right->text, bytes));
		return 0;
	}
	if (*joint->text != '-')
		return action_wrong(r, "two pointers cannot be added");
	action_be_plain(left,
			arena_printf(r->arena, "((long)%s-(long)%s)/%" PRIu64,
				     left->text, right->text, bytes));
	return 0;
}

static int join(struct action_parser *r, const struct joint *joint,
		struct rewritten *left, const struct rewritten *right)
{
	if (joint->binds == 9 && left->kind == PART_IS_POINTER)
		return move_pointer(r, joint, left, right);
	action_be_plain(left, arena_printf(r->arena, "%s%s%s", left->text,
					   joint->text, right->text));
	return 0;
}

static int compare_text(struct action_parser *r, const struct joint *joint,
			struct rewritten *left)
{
	const size_t at = r->at;

	if (action_skip_quoted(r))
		return -EINVAL;
	action_be_plain(left, arena_printf(r->arena, "%s%s%s", left->text,
					   joint->text, action_copy(r, at)));
	return 0;
}

static int parse_binary(struct action_parser *r, unsigned int least,
			struct rewritten *out)
{
	const struct joint *joint;
	struct rewritten right;
	int err = parse_unary(r, out);

	while (!err && (joint = next_joint(r)) && joint->binds >= least) {
		r->at += strlen(joint->text);
		err = action_to_value(r, out);
		if (err)
			break;
		if (joint->binds == 6 && action_next(r) == '"') {
			err = compare_text(r, joint, out);
			continue;
		}
		err = parse_binary(r, joint->binds + 1, &right);
		if (!err)
			err = action_to_value(r, &right);
		if (!err)
			err = join(r, joint, out, &right);
	}
	return err;
}

int action_parse_value(struct action_parser *r, struct rewritten *out)
{
	return parse_binary(r, 0, out) ? -EINVAL : action_to_value(r, out);
}
