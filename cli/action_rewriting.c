/* SPDX-License-Identifier: MIT */
/*
 * By recursive descent, along C's grammar as expression/ has it, whose output is text
 * of that same grammar: where no type of the program's is in it, it is what it was.
 */
#include "cli/action_rewriting.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "expression/expression_scan.h"
#include "expression/expression_type.h"

#define NESTING_MAX 24
#define NAMES_MAX   64
#define MEMBERS_MAX 16    /* base classes in each other */
#define LOOKS_MAX   10000 /* at members, for one name */

/* What a part of the expression is. */
enum part_kind {
	PART_IS_PLAIN,   /* a value of expression/'s own types */
	PART_IS_POINTER, /* a value: the address of a `type` */
	PART_IS_PLACE,   /* a `type`, and the text is its address */
};

struct rewritten {
	enum part_kind kind;
	char *text;
	uint32_t type;
	uint32_t
		bits; /* a bit-field, which begins bit_offset behind the address */
	uint64_t bit_offset;
};

struct action_parser {
	const char *line;
	size_t bytes;
	size_t at;
	const struct variable_site *site;
	int is_return;
	struct arena *arena;
	char **why;
	unsigned int nesting;
};

static int parse_binary(struct action_parser *r, unsigned int least,
			struct rewritten *out);
static int parse_unary(struct action_parser *r, struct rewritten *out);

static int wrong_at(struct action_parser *r, size_t at, const char *what)
{
	const struct variables *all = &r->site->variables;

	return fail(r->why, -EINVAL, "action %s: %s%s%s%s%s%s", r->line, what,
		    r->line[at] ? ", at \"" : "", r->line + at,
		    r->line[at] ? "\"" : "", all->header.note ? ": " : "",
		    variables_text(all, all->header.note));
}

static int wrong(struct action_parser *r, const char *what)
{
	return wrong_at(r, r->at, what);
}

/* ---- Letters ---- */

static char next(struct action_parser *r)
{
	r->at = scan_blanks(r->line, r->bytes, r->at);
	return r->line[r->at];
}

static int take(struct action_parser *r, const char *sign)
{
	const size_t bytes = strlen(sign);

	next(r);
	if (strncmp(r->line + r->at, sign, bytes) != 0)
		return 0;
	r->at += bytes;
	return 1;
}

static char *copy(struct action_parser *r, size_t from)
{
	return arena_printf(r->arena, "%.*s", (int)(r->at - from),
			    r->line + from);
}

/* At an opening quote, to behind the closing one. */
static int skip_quoted(struct action_parser *r)
{
	const char quote = r->line[r->at++];

	for (; r->line[r->at] && r->line[r->at] != quote; r->at++)
		if (r->line[r->at] == '\\' && r->line[r->at + 1])
			r->at++;
	if (!r->line[r->at])
		return wrong(r, "it does not end");
	r->at++;
	return 0;
}

/* ---- Parts ---- */

static void be_plain(struct rewritten *out, char *text)
{
	*out = (struct rewritten){ .kind = PART_IS_PLAIN, .text = text };
}

static void be_pointer(struct rewritten *out, uint32_t type, char *text)
{
	*out = (struct rewritten){ .kind = PART_IS_POINTER,
				   .text = text,
				   .type = type };
}

static const struct variable_type *type_of(const struct action_parser *r,
					   uint32_t type)
{
	return &r->site->variables.types[type];
}

static const char *type_name(const struct action_parser *r, uint32_t type)
{
	return variables_text(&r->site->variables, type_of(r, type)->name);
}

/* Cast to a pointer as expression/ can know it: strings are told by it. */
static const char *pointer_to(const struct action_parser *r, uint32_t target)
{
	const struct variable_type *type = type_of(r, target);

	return type->is_character && type->bytes == 1 ? "char *" : "void *";
}

/* The name of an integer, or NULL. */
static const char *integer_name(const struct variable_type *type)
{
	switch (type->bytes) {
	case 1:
		return type->is_signed ? "int8_t" : "uint8_t";
	case 2:
		return type->is_signed ? "int16_t" : "uint16_t";
	case 4:
		return type->is_signed ? "int" : "unsigned";
	case 8:
		return type->is_signed ? "long" : "unsigned long";
	default:
		return NULL;
	}
}

/* The smallest integer around the bits that is where one can be. */
static int load_bits(struct action_parser *r, struct rewritten *part)
{
	const struct variable_type *type = type_of(r, part->type);
	const uint64_t first = part->bit_offset, bits = part->bits;

	for (unsigned int bytes = 1; bytes <= 8; bytes *= 2) {
		const uint64_t unit = UINT64_C(8) * bytes;
		const uint64_t start = first / unit * unit;
		const uint64_t left = 64 - (first - start) - bits;

		if (first - start + bits > unit)
			continue;
		be_plain(part, arena_printf(r->arena,
					    "(((%s)(*(uint%u_t *)(%s+%" PRIu64
					    ")<<%" PRIu64 "))>>%" PRIu64 ")",
					    type->is_signed ? "long"
							    : "unsigned long",
					    8 * bytes, part->text, start / 8,
					    left, 64 - bits));
		return 0;
	}
	return wrong(r, "a bit-field in more than 8 bytes");
}

static int refuse_type(struct action_parser *r, uint32_t type)
{
	char what[256];

	switch (type_of(r, type)->kind) {
	case TYPE_IS_FLOAT:
		return wrong(r, "a number that is no integer");
	case TYPE_IS_STRUCT:
		snprintf(what, sizeof(what), "a whole %s: say which member",
			 type_name(r, type));
		return wrong(r, what);
	case TYPE_IS_FUNCTION:
		return wrong(r, "a function");
	default:
		return wrong(r, "of a type that is not known here");
	}
}

/* What lies at a place. */
static int load(struct action_parser *r, struct rewritten *part)
{
	const struct variable_type *type = type_of(r, part->type);
	const char *name;

	if (part->bits)
		return load_bits(r, part);
	switch (type->kind) {
	case TYPE_IS_INTEGER:
		name = integer_name(type);
		if (!name)
			return wrong(r, "a number of more than 8 bytes");
		be_plain(part,
			 arena_printf(r->arena, "*(%s *)%s", name, part->text));
		return 0;
	case TYPE_IS_POINTER:
		be_pointer(part, type->target,
			   arena_printf(r->arena, "*(%s*)%s",
					pointer_to(r, type->target),
					part->text));
		return 0;
	case TYPE_IS_ARRAY:
		be_pointer(part, type->target,
			   arena_printf(r->arena, "(%s)%s",
					pointer_to(r, type->target),
					part->text));
		return 0;
	default:
		return refuse_type(r, part->type);
	}
}

static int to_value(struct action_parser *r, struct rewritten *part)
{
	return part->kind == PART_IS_PLACE ? load(r, part) : 0;
}

/* C++ follows references unasked. */
static int be_place(struct action_parser *r, struct rewritten *out,
		    uint32_t type, char *address)
{
	*out = (struct rewritten){ .kind = PART_IS_PLACE,
				   .text = address,
				   .type = type };
	if (!type_of(r, type)->is_reference)
		return 0;
	if (load(r, out))
		return -EINVAL;
	*out = (struct rewritten){ .kind = PART_IS_PLACE,
				   .text = arena_printf(r->arena, "(%s)",
							out->text),
				   .type = out->type };
	return 0;
}

/* A value of a type, which is in a register or computed. */
static int be_value(struct action_parser *r, struct rewritten *out,
		    uint32_t number, const char *text)
{
	const struct variable_type *type = type_of(r, number);

	if (type->kind == TYPE_IS_INTEGER && integer_name(type)) {
		be_plain(out, arena_printf(r->arena, "(%s)%s",
					   integer_name(type), text));
		return 0;
	}
	if (type->kind != TYPE_IS_POINTER)
		return refuse_type(r, number);
	be_pointer(out, type->target,
		   arena_printf(r->arena, "(%s)%s", pointer_to(r, type->target),
				text));
	if (!type->is_reference)
		return 0;
	return be_place(r, out, type->target,
			arena_printf(r->arena, "(%s)", out->text));
}

static int follow(struct action_parser *r, struct rewritten *part)
{
	if (to_value(r, part))
		return -EINVAL;
	if (part->kind == PART_IS_PLAIN) {
		part->text = arena_printf(r->arena, "*%s", part->text);
		return 0;
	}
	return be_place(r, part, part->type,
			arena_printf(r->arena, "(%s)", part->text));
}

/* ---- Members ---- */

struct member_found {
	const struct variable_member *member;
	uint64_t offset; /* of what it is in */
	unsigned int looks;
};

static int find_member(const struct action_parser *r, uint32_t type,
		       const char *name, size_t bytes, unsigned int depth,
		       struct member_found *found)
{
	const struct variables *all = &r->site->variables;
	const struct variable_type *in = &all->types[type];

	for (uint32_t i = 0; i < in->member_count; i++) {
		const struct variable_member *member =
			&all->members[in->first_member + i];

		if (found->looks++ < LOOKS_MAX && member->name &&
		    scan_is(name, bytes, variables_text(all, member->name))) {
			found->member = member;
			return 1;
		}
	}
	for (uint32_t i = 0; i < in->member_count && depth < MEMBERS_MAX; i++) {
		const struct variable_member *member =
			&all->members[in->first_member + i];

		if (member->name || member->bits ||
		    found->looks++ >= LOOKS_MAX ||
		    !find_member(r, member->type, name, bytes, depth + 1,
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
	const struct variable_type *in = type_of(r, type);
	char what[256];

	if (in->kind != TYPE_IS_STRUCT)
		return wrong_at(r, at, "of what is no struct");
	snprintf(what, sizeof(what),
		 in->is_declared ? "nothing says what is in %s"
				 : "%s has no such member",
		 type_name(r, type));
	return wrong_at(r, at, what);
}

/* r->at is behind the "." or "->", and the part is the struct. */
static int take_member(struct action_parser *r, struct rewritten *part)
{
	const struct variables *all = &r->site->variables;
	struct member_found found = { .member = NULL };
	const uint32_t type = part->type;
	char *address;
	size_t bytes, at;

	next(r);
	at = r->at;
	bytes = scan_name(r->line, r->bytes, at);
	if (!bytes)
		return wrong(r, "the name of a member is missing");
	if (!find_member(r, type, r->line + at, bytes, 0, &found))
		return refuse_member(r, type, at);
	if (found.member->why)
		return wrong_at(r, at, variables_text(all, found.member->why));
	r->at += bytes;
	found.offset += found.member->offset;
	address = found.offset ? arena_printf(r->arena, "(%s+%" PRIu64 ")",
					      part->text, found.offset)
			       : part->text;
	if (be_place(r, part, found.member->type, address))
		return -EINVAL;
	part->bits = found.member->bits;
	part->bit_offset = found.member->bit_offset;
	return 0;
}

/* An argument that is a reference is one of a struct; its register is a pointer. */
static int take_arrow(struct action_parser *r, struct rewritten *part)
{
	if (part->kind == PART_IS_PLACE && !part->bits &&
	    type_of(r, part->type)->kind == TYPE_IS_STRUCT)
		return take_member(r, part);
	if (to_value(r, part))
		return -EINVAL;
	if (part->kind != PART_IS_POINTER)
		return wrong(r, "not a pointer to a struct");
	*part = (struct rewritten){ .kind = PART_IS_PLACE,
				    .text = arena_printf(r->arena, "(%s)",
							 part->text),
				    .type = part->type };
	return take_member(r, part);
}

static int element_bytes(struct action_parser *r, uint32_t type,
			 uint64_t *bytes)
{
	const struct variable_type *of = type_of(r, type);

	*bytes = of->kind == TYPE_IS_POINTER ? 8 : of->bytes;
	return *bytes ? 0 : wrong(r, "of a size that is not known");
}

static int take_index(struct action_parser *r, struct rewritten *part)
{
	struct rewritten index;
	uint64_t bytes;

	if (to_value(r, part) || parse_binary(r, 0, &index) ||
	    to_value(r, &index))
		return -EINVAL;
	if (index.kind != PART_IS_PLAIN)
		return wrong(r, "a pointer as an index");
	if (!take(r, "]"))
		return wrong(r, "\"]\" is missing");
	if (part->kind == PART_IS_PLAIN) {
		part->text = arena_printf(r->arena, "%s[%s]", part->text,
					  index.text);
		return 0;
	}
	if (element_bytes(r, part->type, &bytes))
		return -EINVAL;
	return be_place(r, part, part->type,
			arena_printf(r->arena, "((void *)%s+(%s)*%" PRIu64 ")",
				     part->text, index.text, bytes));
}

/* ---- Names ---- */

static int take_variable(struct action_parser *r,
			 const struct variable *variable, size_t at,
			 struct rewritten *out)
{
	const char *why;
	char *text = variable_text(r->site, variable, r->arena, &why);

	if (!text)
		return wrong_at(r, at, why);
	if (variable->place == VARIABLE_IS_IN_MEMORY)
		return be_place(r, out, variable->type, text);
	return be_value(r, out, variable->type, text);
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

/* argN as it was declared; 0: that is not known. */
static int take_argument(struct action_parser *r, unsigned int number,
			 const char *text, struct rewritten *out)
{
	const struct variables *all = &r->site->variables;

	for (uint32_t i = 0;
	     all->header.is_entry && i < all->header.variable_count; i++)
		if (all->list[i].argument == number)
			return be_value(r, out, all->list[i].type, text)
				       ? -EINVAL
				       : 1;
	return 0;
}

/* What the language has by itself. 1: it was; 0; -EINVAL. */
static int take_word_of_ours(struct action_parser *r, const char *name,
			     size_t bytes, struct rewritten *out)
{
	const struct variables_header *header = &r->site->variables.header;
	char *text = arena_printf(r->arena, "%.*s", (int)bytes, name);
	int done = 0;

	if (scan_is(name, bytes, "ret")) {
		if (r->is_return && header->has_result)
			done = be_value(r, out, header->result_type, text)
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
		be_plain(out, text);
	return done < 0 ? done : 1;
}

/* A member of what a C++ function belongs to. 1: it is one. */
static int take_own_member(struct action_parser *r, size_t bytes,
			   struct rewritten *out)
{
	const struct variable *self = find_variable(r, "this", 4);
	struct member_found found = { .member = NULL };
	const struct variable_type *type;

	if (!self)
		return 0;
	type = type_of(r, self->type);
	if (type->kind != TYPE_IS_POINTER ||
	    !find_member(r, type->target, r->line + r->at, bytes, 0, &found))
		return 0;
	if (take_variable(r, self, r->at, out))
		return -EINVAL;
	return take_arrow(r, out) ? -EINVAL : 1;
}

static int parse_name(struct action_parser *r, struct rewritten *out)
{
	const size_t at = r->at;
	const size_t bytes = scan_name(r->line, r->bytes, at);
	const struct variable *variable;
	int done;

	if (!bytes)
		return wrong(r, "a value is missing");
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
		return wrong(r, "no variable of that name is in scope");
	}
	r->at += bytes;
	return take_variable(r, variable, at, out);
}

/* ---- Expressions ---- */

static int parse_parenthesis(struct action_parser *r, struct rewritten *out)
{
	struct expression_type cast;
	const size_t open = r->at++;
	char *text;

	if (expression_type_parse(r->line, r->bytes, &r->at, &cast) == 0 &&
	    take(r, ")")) {
		text = copy(r, open);
		if (parse_unary(r, out) || to_value(r, out))
			return -EINVAL;
		be_plain(out, arena_printf(r->arena, "%s%s", text, out->text));
		return 0;
	}
	r->at = open + 1;
	if (parse_binary(r, 0, out))
		return -EINVAL;
	if (!take(r, ")"))
		return wrong(r, "\")\" is missing");
	if (out->kind != PART_IS_PLACE)
		out->text = arena_printf(r->arena, "(%s)", out->text);
	return 0;
}

static int parse_primary(struct action_parser *r, struct rewritten *out)
{
	const char c = next(r);
	const size_t at = r->at;

	if (c == '(')
		return parse_parenthesis(r, out);
	if (c == '"')
		return wrong(r, "a string stands right of == or != only");
	if (c == '\'') {
		if (skip_quoted(r))
			return -EINVAL;
	} else if (c == '$' || scan_is_digit(c)) {
		for (r->at++; scan_is_letter(r->line[r->at]) ||
			      scan_is_digit(r->line[r->at]);)
			r->at++;
	} else {
		return parse_name(r, out);
	}
	be_plain(out, copy(r, at));
	return 0;
}

static int parse_postfix(struct action_parser *r, struct rewritten *out)
{
	int err = parse_primary(r, out);

	while (!err) {
		if (take(r, "["))
			err = take_index(r, out);
		else if (take(r, "->"))
			err = take_arrow(r, out);
		else if (next(r) == '.' && out->kind != PART_IS_PLACE)
			err = wrong(r, "of what is no struct");
		else if (take(r, "."))
			err = take_member(r, out);
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
		return wrong_at(r, at, "it has no address here");
	be_pointer(out, out->type,
		   arena_printf(r->arena, "(%s)%s", pointer_to(r, out->type),
				out->text));
	return 0;
}

static int parse_prefixed(struct action_parser *r, struct rewritten *out)
{
	const char c = next(r);

	if (c != '-' && c != '!' && c != '~' && c != '*' && c != '&')
		return parse_postfix(r, out);
	r->at++;
	if (c == '&')
		return parse_address(r, out);
	if (parse_unary(r, out))
		return -EINVAL;
	if (c == '*')
		return follow(r, out);
	if (to_value(r, out))
		return -EINVAL;
	be_plain(out, arena_printf(r->arena, "%c%s", c, out->text));
	return 0;
}

static int parse_unary(struct action_parser *r, struct rewritten *out)
{
	int err;

	if (r->nesting == NESTING_MAX)
		return wrong(r, "too deep");
	r->nesting++;
	err = parse_prefixed(r, out);
	r->nesting--;
	return err;
}

/* As expression/ has them; the longer of those that begin alike come first. */
static const struct joint {
	const char *text;
	unsigned int binds;
} joints[] = {
	{ "||", 1 }, { "&&", 2 }, { "==", 6 }, { "!=", 6 }, { "<<", 8 },
	{ ">>", 8 }, { "<=", 7 }, { ">=", 7 }, { "<", 7 },  { ">", 7 },
	{ "|", 3 },  { "^", 4 },  { "&", 5 },  { "+", 9 },  { "-", 9 },
	{ "*", 10 }, { "/", 10 }, { "%", 10 },
};

/* How long the format is that begins here; 0: there is none. */
static size_t format_at(const struct action_parser *r)
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
	next(r);
	if (format_at(r))
		return NULL;
	for (size_t i = 0; i < sizeof(joints) / sizeof(*joints); i++)
		if (strncmp(r->line + r->at, joints[i].text,
			    strlen(joints[i].text)) == 0)
			return &joints[i];
	return NULL;
}

/* A pointer and a number, or two pointers. */
static int move_pointer(struct action_parser *r, const struct joint *joint,
			struct rewritten *left, const struct rewritten *right)
{
	uint64_t bytes;

	if (element_bytes(r, left->type, &bytes))
		return -EINVAL;
	if (right->kind == PART_IS_PLAIN) {
		be_pointer(left, left->type,
			   arena_printf(r->arena,
					"(%s)((void *)%s%s(%s)*%" PRIu64 ")",
					pointer_to(r, left->type), left->text,
					joint->text, right->text, bytes));
		return 0;
	}
	if (*joint->text != '-')
		return wrong(r, "a sum of two pointers");
	be_plain(left, arena_printf(r->arena, "((long)%s-(long)%s)/%" PRIu64,
				    left->text, right->text, bytes));
	return 0;
}

static int join(struct action_parser *r, const struct joint *joint,
		struct rewritten *left, const struct rewritten *right)
{
	if (joint->binds == 9 && left->kind == PART_IS_POINTER)
		return move_pointer(r, joint, left, right);
	be_plain(left, arena_printf(r->arena, "%s%s%s", left->text, joint->text,
				    right->text));
	return 0;
}

static int compare_text(struct action_parser *r, const struct joint *joint,
			struct rewritten *left)
{
	const size_t at = r->at;

	if (skip_quoted(r))
		return -EINVAL;
	be_plain(left, arena_printf(r->arena, "%s%s%s", left->text, joint->text,
				    copy(r, at)));
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
		err = to_value(r, out);
		if (err)
			break;
		if (joint->binds == 6 && next(r) == '"') {
			err = compare_text(r, joint, out);
			continue;
		}
		err = parse_binary(r, joint->binds + 1, &right);
		if (!err)
			err = to_value(r, &right);
		if (!err)
			err = join(r, joint, out, &right);
	}
	return err;
}

static int parse_value(struct action_parser *r, struct rewritten *out)
{
	return parse_binary(r, 0, out) ? -EINVAL : to_value(r, out);
}

/* ---- Lines ---- */

/* One of a list, with what it was called. NULL and *why. */
static char *rewrite_field(struct action_parser *r)
{
	struct rewritten part;
	size_t start, end, format;
	char *text;

	next(r);
	start = r->at;
	if (parse_value(r, &part))
		return NULL;
	next(r);
	for (end = r->at; end > start && r->line[end - 1] == ' ';)
		end--;
	format = format_at(r);
	text = arena_printf(r->arena, "`%.*s`%s%.*s", (int)(end - start),
			    r->line + start, part.text, (int)format,
			    r->line + r->at);
	r->at += format;
	return text;
}

static char *rewrite_fields(struct action_parser *r)
{
	char *all = arena_printf(r->arena, "record ");
	const char *comma = "";

	for (;;) {
		char *one = rewrite_field(r);

		if (!one)
			return NULL;
		all = arena_printf(r->arena, "%s%s%s", all, comma, one);
		comma = ", ";
		if (!next(r))
			return all;
		if (!take(r, ",")) {
			wrong(r, "an operator is missing");
			return NULL;
		}
	}
}

/* The rest of the line. */
static char *rewrite_rest(struct action_parser *r, const char *before)
{
	struct rewritten part;

	if (parse_value(r, &part))
		return NULL;
	if (next(r)) {
		wrong(r, "an operator is missing");
		return NULL;
	}
	return arena_printf(r->arena, "%s %s", before, part.text);
}

static int take_keyword(struct action_parser *r, const char *word)
{
	const size_t bytes = scan_name(r->line, r->bytes, r->at);

	if (!scan_is(r->line + r->at, bytes, word))
		return 0;
	r->at += bytes;
	next(r);
	return 1;
}

char *action_rewrite(const char *line, const struct variable_site *site,
		     int is_return, struct arena *arena, char **why)
{
	struct action_parser r = {
		.line = line,
		.bytes = strlen(line),
		.site = site,
		.is_return = is_return,
		.arena = arena,
		.why = why,
	};

	next(&r);
	if (take_keyword(&r, "if"))
		return rewrite_rest(&r, "if");
	if (take_keyword(&r, "record"))
		return rewrite_fields(&r);
	if (take_keyword(&r, "begin") || take_keyword(&r, "end")) {
		for (; r.line[r.at] && r.line[r.at] != ' ';)
			r.at++;
		return rewrite_rest(&r, copy(&r, 0));
	}
	wrong(&r, "not one of if, limit, record, begin, end");
	return NULL;
}

/* ---- Names ---- */

struct name_list {
	const char **names;
	size_t count;
	struct arena *arena;
};

static void add_name(struct name_list *list, const char *name, size_t bytes)
{
	for (size_t i = 0; i < list->count; i++)
		if (scan_is(name, bytes, list->names[i]))
			return;
	if (list->count < NAMES_MAX)
		list->names[list->count++] =
			arena_printf(list->arena, "%.*s", (int)bytes, name);
}

static void add_names(struct name_list *list, const char *line)
{
	struct action_parser r = { .line = line,
				   .bytes = strlen(line),
				   .arena = list->arena };

	while (r.at < r.bytes) {
		const size_t bytes = scan_name(line, r.bytes, r.at);
		const char c = line[r.at];

		if (bytes) {
			add_name(list, line + r.at, bytes);
			r.at += bytes;
		} else if (c == '$' || scan_is_digit(c)) {
			r.at += 1 + scan_name(line, r.bytes, r.at + 1);
		} else if (c == '"' || c == '\'') {
			for (r.at++; line[r.at] && line[r.at] != c; r.at++)
				r.at += line[r.at] == '\\' && line[r.at + 1];
			r.at += line[r.at] != '\0';
		} else {
			r.at++;
		}
	}
}

const char *const *action_names(const char *const *lines, size_t line_count,
				struct arena *arena, size_t *count)
{
	struct name_list list = { .arena = arena };

	list.names = arena_alloc(arena, NAMES_MAX * sizeof(*list.names));
	if (!list.names)
		memory_exhausted();
	add_name(&list, "this", 4);
	for (size_t i = 0; i < line_count; i++)
		add_names(&list, lines[i]);
	*count = list.count;
	return list.names;
}
