/* SPDX-License-Identifier: MIT */
/* See action_parts.h. */
#include "cli/probes/action_parts.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

void action_be_plain(struct rewritten *out, char *text)
{
	*out = (struct rewritten){ .kind = PART_IS_PLAIN, .text = text };
}

void action_be_pointer(struct rewritten *out, uint32_t type, char *text)
{
	*out = (struct rewritten){ .kind = PART_IS_POINTER,
				   .text = text,
				   .type = type };
}

const struct variable_type *action_type_of(const struct action_parser *r,
					   uint32_t type)
{
	return &r->site->variables.types[type];
}

const char *action_type_name(const struct action_parser *r, uint32_t type)
{
	return variables_text(&r->site->variables,
			      action_type_of(r, type)->name);
}

const char *action_pointer_to(const struct action_parser *r, uint32_t target)
{
	const struct variable_type *type = action_type_of(r, target);

	return type->is_character && type->bytes == 1 ? "char *" : "void *";
}

/* Returns the name of an integer type, or NULL. */
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

/* Loads the smallest aligned integer that contains the bits. */
static int load_bits(struct action_parser *r, struct rewritten *part)
{
	const struct variable_type *type = action_type_of(r, part->type);
	const uint64_t first = part->bit_offset, bits = part->bits;

	for (unsigned int bytes = 1; bytes <= 8; bytes *= 2) {
		const uint64_t unit = UINT64_C(8) * bytes;
		const uint64_t start = first / unit * unit;
		const uint64_t left = 64 - (first - start) - bits;

		if (first - start + bits > unit)
			continue;
		action_be_plain(
			part,
			arena_printf(r->arena,
				     "(((%s)(*(uint%u_t *)(%s+%" PRIu64
				     ")<<%" PRIu64 "))>>%" PRIu64 ")",
				     type->is_signed ? "long" : "unsigned long",
				     8 * bytes, part->text, start / 8, left,
				     64 - bits));
		return 0;
	}
	return action_wrong(r, "the bit-field spans more than 8 bytes");
}

static int refuse_type(struct action_parser *r, uint32_t type)
{
	char what[256];

	switch (action_type_of(r, type)->kind) {
	case TYPE_IS_FLOAT:
		return action_wrong(r,
				    "floating-point values are not supported");
	case TYPE_IS_STRUCT:
		snprintf(what, sizeof(what),
			 "%s is a struct; name one of its members",
			 action_type_name(r, type));
		return action_wrong(r, what);
	case TYPE_IS_FUNCTION:
		return action_wrong(r, "a function");
	default:
		return action_wrong(r, "values of this type are not supported");
	}
}

/* Loads the value of an object. */
static int load(struct action_parser *r, struct rewritten *part)
{
	const struct variable_type *type = action_type_of(r, part->type);
	const char *name;

	if (part->bits)
		return load_bits(r, part);
	switch (type->kind) {
	case TYPE_IS_INTEGER:
		name = integer_name(type);
		if (!name)
			return action_wrong(r, "numbers of more than 8 bytes "
					       "are not supported");
		action_be_plain(part, arena_printf(r->arena, "*(%s *)%s", name,
						   part->text));
		return 0;
	case TYPE_IS_POINTER:
		action_be_pointer(
			part, type->target,
			arena_printf(r->arena, "*(%s*)%s",
				     action_pointer_to(r, type->target),
				     part->text));
		return 0;
	case TYPE_IS_ARRAY:
		action_be_pointer(
			part, type->target,
			arena_printf(r->arena, "(%s)%s",
				     action_pointer_to(r, type->target),
				     part->text));
		return 0;
	default:
		return refuse_type(r, part->type);
	}
}

int action_to_value(struct action_parser *r, struct rewritten *part)
{
	return part->kind == PART_IS_PLACE ? load(r, part) : 0;
}

int action_be_place(struct action_parser *r, struct rewritten *out,
		    uint32_t type, char *address)
{
	*out = (struct rewritten){ .kind = PART_IS_PLACE,
				   .text = address,
				   .type = type };
	if (!action_type_of(r, type)->is_reference)
		return 0;
	if (load(r, out))
		return -EINVAL;
	*out = (struct rewritten){ .kind = PART_IS_PLACE,
				   .text = arena_printf(r->arena, "(%s)",
							out->text),
				   .type = out->type };
	return 0;
}

int action_be_value(struct action_parser *r, struct rewritten *out,
		    uint32_t number, const char *text)
{
	const struct variable_type *type = action_type_of(r, number);

	if (type->kind == TYPE_IS_INTEGER && integer_name(type)) {
		action_be_plain(out, arena_printf(r->arena, "(%s)%s",
						  integer_name(type), text));
		return 0;
	}
	if (type->kind != TYPE_IS_POINTER)
		return refuse_type(r, number);
	action_be_pointer(out, type->target,
			  arena_printf(r->arena, "(%s)%s",
				       action_pointer_to(r, type->target),
				       text));
	if (!type->is_reference)
		return 0;
	return action_be_place(r, out, type->target,
			       arena_printf(r->arena, "(%s)", out->text));
}

int action_follow(struct action_parser *r, struct rewritten *part)
{
	if (action_to_value(r, part))
		return -EINVAL;
	if (part->kind == PART_IS_PLAIN) {
		part->text = arena_printf(r->arena, "*%s", part->text);
		return 0;
	}
	return action_be_place(r, part, part->type,
			       arena_printf(r->arena, "(%s)", part->text));
}

int action_element_bytes(struct action_parser *r, uint32_t type,
			 uint64_t *bytes)
{
	const struct variable_type *of = action_type_of(r, type);

	*bytes = of->kind == TYPE_IS_POINTER ? 8 : of->bytes;
	return *bytes ? 0
		      : action_wrong(r, "the size of the element is unknown");
}
