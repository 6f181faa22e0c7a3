/* SPDX-License-Identifier: MIT */
/* See variable_types.h. */
#include "symbolizer/variables/variable_types.h"

#include <stdio.h>
#include <string.h>

#include "symbolizer/elf/heap.h"
#include "symbolizer/variables/debug_names.h"

#define TYPES_MAX   4096
#define MEMBERS_MAX 65536
#define TEXT_MAX    160

static uint32_t read_type(struct debug_reading *reading, Dwarf_Die die,
			  unsigned int depth);

static int is_wrapper(Dwarf_Half tag)
{
	switch (tag) {
	case DW_TAG_typedef:
	case DW_TAG_const_type:
	case DW_TAG_volatile_type:
	case DW_TAG_restrict_type:
	case DW_TAG_atomic_type:
	case DW_TAG_packed_type:
	case DW_TAG_immutable_type:
		return 1;
	default:
		return 0;
	}
}

/* Returns the type in a separate unit to which a DIE refers, or the DIE. */
static Dwarf_Die elsewhere(struct debug_reading *reading, Dwarf_Die die)
{
	Dwarf_Die other = debug_die_reference(reading, die, DW_AT_signature);

	return other ? other : die;
}

Dwarf_Die variable_type_bare(struct debug_reading *reading, Dwarf_Die die)
{
	for (int i = 0; die && i < DEBUG_DEPTH_MAX; i++) {
		if (!is_wrapper(debug_die_tag(die)))
			return elsewhere(reading, die);
		die = debug_die_reference(reading, die, DW_AT_type);
	}
	return NULL;
}

/* ---- Definitions ---- */

struct definition_search {
	struct debug_reading *reading;
	const char *name;
	Dwarf_Half tag;
	Dwarf_Die found;
};

/* C++ mixes class and struct. */
static int is_alike(Dwarf_Half a, Dwarf_Half b)
{
	return a == b || (a != DW_TAG_union_type && b != DW_TAG_union_type);
}

static int is_struct(Dwarf_Half tag)
{
	return tag == DW_TAG_structure_type || tag == DW_TAG_class_type ||
	       tag == DW_TAG_union_type;
}

static int check_type(void *context, Dwarf_Die die)
{
	struct definition_search *search = context;
	const Dwarf_Half tag = debug_die_tag(die);
	const char *name;

	if (!is_struct(tag) || !is_alike(tag, search->tag))
		return 0;
	name = debug_die_text(die, DW_AT_name);
	if (!name || strcmp(name, search->name) != 0)
		return 0;
	if (debug_die_flag(die, DW_AT_declaration)) {
		search->found = debug_die_reference(search->reading, die,
						    DW_AT_signature);
		return search->found != NULL;
	}
	search->found = die;
	return 1;
}

/* Compilers omit the name where they refer to the unit that has it. */
static void check_signatures(struct definition_search *search)
{
	struct debug_reading *reading = search->reading;

	for (size_t i = 0; i < reading->signature_count; i++) {
		Dwarf_Die die =
			debug_signature_die(reading, &reading->signatures[i]);

		if (die && check_type(search, die))
			return;
	}
}

Dwarf_Die variable_type_definition(struct debug_reading *reading, Dwarf_Die die)
{
	struct definition_search search = { .reading = reading,
					    .tag = debug_die_tag(die) };

	if (!debug_die_flag(die, DW_AT_declaration))
		return die;
	search.name = debug_die_text(die, DW_AT_name);
	if (search.name && !debug_names_walk(reading, check_type, &search))
		check_signatures(&search);
	return search.found ? search.found : die;
}

/* ---- Members ---- */

struct member_walk {
	struct debug_reading *reading;
	struct variable_member *list;
	size_t count, room;
	unsigned int depth;
	uint64_t struct_bytes;
};

/* Before DWARF 4, bits are counted from the upper end of a unit of `bytes`. */
static int read_bits(Dwarf_Die die, struct variable_member *member)
{
	uint64_t bits = 0, offset, bytes;

	if (!debug_die_number(die, DW_AT_bit_size, &bits))
		return 0;
	if (!bits || bits > 64)
		return 0;
	if (debug_die_number(die, DW_AT_data_bit_offset, &offset)) {
		member->bit_offset = offset;
	} else if (debug_die_number(die, DW_AT_bit_offset, &offset) &&
		   debug_die_number(die, DW_AT_byte_size, &bytes) &&
		   bytes <= 8) {
		member->bit_offset =
			8 * (member->offset + bytes) - offset - bits;
	} else {
		member->bit_offset = 8 * member->offset;
	}
	member->bits = (uint32_t)bits;
	member->offset = 0;
	return 1;
}

static const char *why_not(Dwarf_Die die, Dwarf_Half tag)
{
	uint64_t virtuality = 0;

	if (tag == DW_TAG_inheritance &&
	    debug_die_number(die, DW_AT_virtuality, &virtuality) && virtuality)
		return "it is in a virtual base class";
	if (debug_die_flag(die, DW_AT_external) ||
	    debug_die_flag(die, DW_AT_declaration))
		return "it is a static member";
	return NULL;
}

static int read_member(void *context, Dwarf_Die die)
{
	struct member_walk *walk = context;
	struct debug_reading *reading = walk->reading;
	struct variable_member member = { 0 };
	const Dwarf_Half tag = debug_die_tag(die);
	const char *name = NULL, *why;

	if (tag != DW_TAG_member && tag != DW_TAG_inheritance)
		return 0;
	if (tag == DW_TAG_member)
		name = debug_die_text(die, DW_AT_name);
	if (name && !debug_reading_wants(reading, name))
		return 0;
	if (reading->answer.header.member_count + walk->count >= MEMBERS_MAX)
		return 1;
	why = why_not(die, tag);
	member.name = variable_answer_text(&reading->answer, name);
	if (!debug_die_number(die, DW_AT_data_member_location, &member.offset))
		member.offset = 0;
	read_bits(die, &member);
	if (why)
		member.why = variable_answer_text(&reading->answer, why);
	else
		member.type = read_type(
			reading, debug_die_reference(reading, die, DW_AT_type),
			walk->depth);
	walk->list = heap_reserve(walk->list, walk->count + 1, &walk->room,
				  sizeof(*walk->list));
	walk->list[walk->count++] = member;
	return 0;
}

static void read_members(struct debug_reading *reading, Dwarf_Die die,
			 uint32_t type, unsigned int depth)
{
	struct member_walk walk = { .reading = reading, .depth = depth };

	debug_die_children(reading, die, read_member, &walk);
	reading->answer.types[type].first_member =
		reading->answer.header.member_count;
	reading->answer.types[type].member_count = (uint32_t)walk.count;
	for (size_t i = 0; i < walk.count; i++)
		*variable_answer_member(&reading->answer) = walk.list[i];
}

/* A listing shows only names of structs. */
static void read_struct(struct debug_reading *reading, Dwarf_Die die,
			uint32_t type, unsigned int depth)
{
	struct variable_type *out;
	uint64_t bytes = 0;

	if (reading->request->name_count)
		die = variable_type_definition(reading, die);
	debug_die_number(die, DW_AT_byte_size, &bytes);
	out = &reading->answer.types[type];
	out->kind = TYPE_IS_STRUCT;
	out->bytes = bytes;
	out->is_declared = (uint8_t)debug_die_flag(die, DW_AT_declaration);
	if (reading->request->name_count)
		read_members(reading, die, type, depth);
}

/* ---- Other types ---- */

static void read_base(Dwarf_Die die, struct variable_type *out)
{
	uint64_t encoding = 0;

	debug_die_number(die, DW_AT_byte_size, &out->bytes);
	debug_die_number(die, DW_AT_encoding, &encoding);
	out->kind = TYPE_IS_INTEGER;
	switch (encoding) {
	case DW_ATE_signed_char:
		out->is_character = 1;
		out->is_signed = 1;
		break;
	case DW_ATE_unsigned_char:
		out->is_character = 1;
		break;
	case DW_ATE_signed:
		out->is_signed = 1;
		break;
	case DW_ATE_boolean:
	case DW_ATE_unsigned:
	case DW_ATE_address:
	case DW_ATE_UTF:
		break;
	default:
		out->kind = TYPE_IS_FLOAT;
		break;
	}
}

static void read_enumeration(struct debug_reading *reading, Dwarf_Die die,
			     struct variable_type *out)
{
	Dwarf_Die under = variable_type_bare(
		reading, debug_die_reference(reading, die, DW_AT_type));

	if (under && debug_die_tag(under) == DW_TAG_base_type)
		read_base(under, out);
	out->is_character = 0;
	out->kind = TYPE_IS_INTEGER;
	debug_die_number(die, DW_AT_byte_size, &out->bytes);
}

struct dimension_walk {
	uint64_t counts[8];
	unsigned int count;
	int is_strided;
};

static int read_dimension(void *context, Dwarf_Die die)
{
	struct dimension_walk *walk = context;
	uint64_t number, *out;

	if (debug_die_tag(die) != DW_TAG_subrange_type || walk->count == 8)
		return 0;
	out = &walk->counts[walk->count++];
	*out = UINT64_MAX;
	if (debug_die_number(die, DW_AT_count, &number))
		*out = number;
	else if (debug_die_number(die, DW_AT_upper_bound, &number))
		*out = number + 1;
	walk->is_strided |= debug_die_number(die, DW_AT_byte_stride, &number);
	return 0;
}

/* An array of several dimensions is an array of arrays. */
static void read_array(struct debug_reading *reading, Dwarf_Die die,
		       uint32_t type, unsigned int depth)
{
	struct dimension_walk walk = { .count = 0 };
	struct variable_answer *answer = &reading->answer;
	uint32_t target = read_type(
		reading, debug_die_reference(reading, die, DW_AT_type), depth);

	debug_die_children(reading, die, read_dimension, &walk);
	if (!walk.count || walk.is_strided ||
	    debug_die_flag(die, DW_AT_GNU_vector))
		return;
	for (unsigned int i = walk.count; i-- > 0;) {
		const uint32_t made = i ? variable_answer_type(answer) : type;
		struct variable_type *out = &answer->types[made];
		uint64_t bytes = 0;

		if (__builtin_mul_overflow(answer->types[target].bytes,
					   walk.counts[i], &bytes))
			bytes = 0;
		out->kind = TYPE_IS_ARRAY;
		out->target = target;
		out->count = walk.counts[i];
		out->bytes = bytes;
		target = made;
	}
}

static void read_pointer(struct debug_reading *reading, Dwarf_Die die,
			 uint32_t type, unsigned int depth, int is_reference)
{
	const uint32_t target = read_type(
		reading, debug_die_reference(reading, die, DW_AT_type), depth);
	struct variable_type *out = &reading->answer.types[type];

	out->kind = TYPE_IS_POINTER;
	out->is_reference = (uint8_t)is_reference;
	out->bytes = 8;
	out->target = target;
}

static void fill(struct debug_reading *reading, Dwarf_Die die, uint32_t type,
		 unsigned int depth)
{
	struct variable_type *out = &reading->answer.types[type];

	switch (debug_die_tag(die)) {
	case DW_TAG_base_type:
		read_base(die, out);
		break;
	case DW_TAG_unspecified_type: /* decltype(nullptr) */
		out->kind = TYPE_IS_VOID;
		break;
	case DW_TAG_enumeration_type:
		read_enumeration(reading, die, out);
		break;
	case DW_TAG_pointer_type:
		read_pointer(reading, die, type, depth, 0);
		break;
	case DW_TAG_reference_type:
	case DW_TAG_rvalue_reference_type:
		read_pointer(reading, die, type, depth, 1);
		break;
	case DW_TAG_array_type:
		read_array(reading, die, type, depth);
		break;
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
		read_struct(reading, die, type, depth);
		break;
	case DW_TAG_subroutine_type:
		out->kind = TYPE_IS_FUNCTION;
		break;
	default:
		break;
	}
}

static uint32_t read_type(struct debug_reading *reading, Dwarf_Die die,
			  unsigned int depth)
{
	uint32_t type;
	uint32_t *known;

	die = variable_type_bare(reading, die);
	if (die) {
		known = map_at(&reading->types, debug_die_key(die) + 1);
		if (*known)
			return *known - 1;
	}
	if (depth == DEBUG_DEPTH_MAX ||
	    reading->answer.header.type_count >= TYPES_MAX)
		return 0;
	type = variable_answer_type(&reading->answer);
	reading->answer.types[type].name = variable_type_text(reading, die);
	if (!die) {
		reading->answer.types[type].kind = TYPE_IS_VOID;
		return type;
	}
	*map_at(&reading->types, debug_die_key(die) + 1) = type + 1;
	fill(reading, die, type, depth + 1);
	return type;
}

uint32_t variable_type_read(struct debug_reading *reading, Dwarf_Die die)
{
	return read_type(reading, die, 0);
}

/* ---- Texts ---- */

struct type_text {
	char text[TEXT_MAX];
	size_t bytes;
};

static void append(struct type_text *out, const char *text)
{
	const size_t left = sizeof(out->text) - out->bytes;
	const int done = snprintf(out->text + out->bytes, left, "%s", text);

	out->bytes += (size_t)done < left ? (size_t)done : left - 1;
}

static void append_pointer(struct type_text *out, const char *sign)
{
	if (out->bytes && !strchr("*&", out->text[out->bytes - 1]))
		append(out, " ");
	append(out, sign);
}

static void write_type(struct debug_reading *reading, Dwarf_Die die,
		       struct type_text *out, int depth);

static void write_target(struct debug_reading *reading, Dwarf_Die die,
			 struct type_text *out, int depth)
{
	write_type(reading, debug_die_reference(reading, die, DW_AT_type), out,
		   depth + 1);
}

static void write_qualified(struct debug_reading *reading, Dwarf_Die die,
			    struct type_text *out, int depth, const char *word)
{
	Dwarf_Die target = debug_die_reference(reading, die, DW_AT_type);

	if (target && debug_die_tag(target) == DW_TAG_pointer_type) {
		write_type(reading, target, out, depth + 1);
		append_pointer(out, word);
		return;
	}
	append(out, word);
	append(out, " ");
	write_type(reading, target, out, depth + 1);
}

static void write_named(struct debug_reading *reading, Dwarf_Die die,
			struct type_text *out, const char *word)
{
	const char *name = debug_die_text(die, DW_AT_name);

	if (!name || !reading->unit_is_cxx) {
		append(out, word);
		append(out, " ");
	}
	append(out, name ? name : "{...}");
}

static void write_array(struct debug_reading *reading, Dwarf_Die die,
			struct type_text *out, int depth)
{
	struct dimension_walk walk = { .count = 0 };
	char text[32];

	write_target(reading, die, out, depth);
	debug_die_children(reading, die, read_dimension, &walk);
	for (unsigned int i = 0; i < walk.count; i++) {
		snprintf(text, sizeof(text), "[%llu]",
			 (unsigned long long)walk.counts[i]);
		append(out, walk.counts[i] == UINT64_MAX ? "[]" : text);
	}
}

static void write_type(struct debug_reading *reading, Dwarf_Die die,
		       struct type_text *out, int depth)
{
	const char *name;

	if (die)
		die = elsewhere(reading, die);
	if (!die || depth == DEBUG_DEPTH_MAX) {
		append(out, "void");
		return;
	}
	switch (debug_die_tag(die)) {
	case DW_TAG_pointer_type:
		write_target(reading, die, out, depth);
		append_pointer(out, "*");
		break;
	case DW_TAG_reference_type:
		write_target(reading, die, out, depth);
		append_pointer(out, "&");
		break;
	case DW_TAG_rvalue_reference_type:
		write_target(reading, die, out, depth);
		append_pointer(out, "&&");
		break;
	case DW_TAG_const_type:
		write_qualified(reading, die, out, depth, "const");
		break;
	case DW_TAG_volatile_type:
		write_qualified(reading, die, out, depth, "volatile");
		break;
	case DW_TAG_restrict_type:
		write_target(reading, die, out, depth);
		break;
	case DW_TAG_structure_type:
		write_named(reading, die, out, "struct");
		break;
	case DW_TAG_class_type:
		write_named(reading, die, out, "class");
		break;
	case DW_TAG_union_type:
		write_named(reading, die, out, "union");
		break;
	case DW_TAG_enumeration_type:
		write_named(reading, die, out, "enum");
		break;
	case DW_TAG_array_type:
		write_array(reading, die, out, depth);
		break;
	case DW_TAG_subroutine_type:
		write_target(reading, die, out, depth);
		append(out, " ()");
		break;
	default:
		name = debug_die_text(die, DW_AT_name);
		append(out, name ? name : "?");
		break;
	}
}

uint32_t variable_type_text(struct debug_reading *reading, Dwarf_Die die)
{
	struct type_text out = { .bytes = 0 };

	write_type(reading, die, &out, 0);
	return variable_answer_text(&reading->answer, out.text);
}
