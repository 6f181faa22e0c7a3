/* SPDX-License-Identifier: MIT */
/* x86-64: see variable_arguments.h. */
#include "symbolizer/variables/variable_arguments.h"

#include "symbolizer/variables/variable_types.h"

#define GENERAL_ARGUMENTS 6
#define VECTOR_ARGUMENTS  8

/* The class of eight bytes of an argument; the greater one prevails. */
enum argument_class {
	CLASS_IS_NONE,
	CLASS_IS_VECTOR,
	CLASS_IS_INTEGER,
	CLASS_IS_MEMORY,
	CLASS_IS_UNKNOWN
};

struct argument_classes {
	struct debug_reading *reading;
	enum argument_class of[2];
	uint64_t offset; /* offset of the present member */
	unsigned int depth;
};

static void classify(struct argument_classes *classes, Dwarf_Die type);

static void merge(struct argument_classes *classes, uint64_t offset,
		  enum argument_class class)
{
	enum argument_class *of = &classes->of[offset >= 8];

	if (offset >= 16)
		of = &classes->of[0];
	if (class > *of)
		*of = class;
}

static void classify_base(struct argument_classes *classes, Dwarf_Die type)
{
	uint64_t bytes = 0, encoding = 0;

	debug_die_number(type, DW_AT_byte_size, &bytes);
	debug_die_number(type, DW_AT_encoding, &encoding);
	if (encoding == DW_ATE_float && bytes <= 8)
		merge(classes, classes->offset, CLASS_IS_VECTOR);
	else if (encoding == DW_ATE_float)
		merge(classes, 0, CLASS_IS_MEMORY);
	else if (encoding == DW_ATE_complex_float || bytes > 8)
		merge(classes, 0, CLASS_IS_UNKNOWN);
	else
		merge(classes, classes->offset, CLASS_IS_INTEGER);
}

static int classify_member(void *context, Dwarf_Die die)
{
	struct argument_classes *classes = context;
	const Dwarf_Half tag = debug_die_tag(die);
	const uint64_t before = classes->offset;
	uint64_t offset = 0;

	if (tag == DW_TAG_subprogram || tag == DW_TAG_template_type_param) {
		/* A class with functions may be passed by reference. */
		if (classes->reading->unit_is_cxx)
			classes->depth |= 0x80;
		return 0;
	}
	if ((tag != DW_TAG_member && tag != DW_TAG_inheritance) ||
	    debug_die_flag(die, DW_AT_external))
		return 0;
	debug_die_number(die, DW_AT_data_member_location, &offset);
	if (!offset && debug_die_number(die, DW_AT_data_bit_offset, &offset))
		offset /= 8;
	classes->offset += offset;
	classify(classes,
		 debug_die_reference(classes->reading, die, DW_AT_type));
	classes->offset = before;
	return 0;
}

static void classify_struct(struct argument_classes *classes, Dwarf_Die type)
{
	uint64_t bytes = 0, convention = 0;

	type = variable_type_definition(classes->reading, type);
	if (!debug_die_number(type, DW_AT_byte_size, &bytes)) {
		merge(classes, 0, CLASS_IS_UNKNOWN);
		return;
	}
	debug_die_number(type, DW_AT_calling_convention, &convention);
	if (convention == DW_CC_pass_by_reference) {
		merge(classes, 0, CLASS_IS_UNKNOWN);
		return;
	}
	if (bytes > 16) {
		merge(classes, 0,
		      convention || !classes->reading->unit_is_cxx
			      ? CLASS_IS_MEMORY
			      : CLASS_IS_UNKNOWN);
		return;
	}
	debug_die_children(classes->reading, type, classify_member, classes);
	if (classes->depth & 0x80 && !convention)
		merge(classes, 0, CLASS_IS_UNKNOWN);
	classes->depth &= 0x7fU;
}

static void classify(struct argument_classes *classes, Dwarf_Die type)
{
	type = variable_type_bare(classes->reading, type);
	if (!type || classes->depth == 8) {
		merge(classes, 0, CLASS_IS_UNKNOWN);
		return;
	}
	classes->depth++;
	switch (debug_die_tag(type)) {
	case DW_TAG_base_type:
		classify_base(classes, type);
		break;
	case DW_TAG_pointer_type:
	case DW_TAG_reference_type:
	case DW_TAG_rvalue_reference_type:
	case DW_TAG_enumeration_type:
	case DW_TAG_unspecified_type:
		merge(classes, classes->offset, CLASS_IS_INTEGER);
		break;
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
		classify_struct(classes, type);
		break;
	default:
		merge(classes, 0, CLASS_IS_UNKNOWN);
		break;
	}
	classes->depth--;
}

void variable_arguments_begin(struct debug_reading *reading, Dwarf_Die result,
			      struct variable_arguments *out)
{
	struct argument_classes classes = { .reading = reading };

	*out = (struct variable_arguments){ 0 };
	if (!result)
		return;
	classify(&classes, result);
	if (classes.of[0] == CLASS_IS_UNKNOWN)
		out->is_unknown = 1;
	/*
	 * The result is written to the address in the first argument, except a
	 * long double.
	 */
	else if (classes.of[0] == CLASS_IS_MEMORY &&
		 debug_die_tag(variable_type_bare(reading, result)) !=
			 DW_TAG_base_type)
		out->used = 1;
}

/*
 * Puts an argument on the stack. Arguments after one with other alignment are
 * unknown.
 */
static enum argument_passing put_on_stack(struct debug_reading *reading,
					  struct variable_arguments *arguments,
					  Dwarf_Die type, int is_struct,
					  uint64_t *number)
{
	uint64_t bytes = 8;

	if (is_struct) {
		type = variable_type_definition(
			reading, variable_type_bare(reading, type));
		debug_die_number(type, DW_AT_byte_size, &bytes);
		if (debug_die_tag(type) == DW_TAG_base_type) {
			/* the argument is a long double */
			arguments->is_unknown = 1;
			return ARGUMENT_IS_ELSEWHERE;
		}
	}
	*number = arguments->stack;
	arguments->stack += (bytes + 7) & ~UINT64_C(7);
	return ARGUMENT_IS_ON_STACK;
}

enum argument_passing variable_arguments_next(
	struct debug_reading *reading, struct variable_arguments *arguments,
	Dwarf_Die type, uint64_t *number)
{
	struct argument_classes classes = { .reading = reading };
	unsigned int wanted, vectors;

	*number = 0;
	classify(&classes, type);
	if (arguments->is_unknown || classes.of[0] == CLASS_IS_UNKNOWN) {
		arguments->is_unknown = 1;
		return ARGUMENT_IS_ELSEWHERE;
	}
	if (classes.of[0] == CLASS_IS_MEMORY)
		return put_on_stack(reading, arguments, type, 1, number);
	wanted = (classes.of[0] == CLASS_IS_INTEGER) +
		 (classes.of[1] == CLASS_IS_INTEGER);
	vectors = (classes.of[0] == CLASS_IS_VECTOR) +
		  (classes.of[1] == CLASS_IS_VECTOR);
	if (arguments->used + wanted > GENERAL_ARGUMENTS ||
	    arguments->used_vectors + vectors > VECTOR_ARGUMENTS)
		return put_on_stack(reading, arguments, type,
				    wanted + vectors > 1, number);
	arguments->used += wanted;
	arguments->used_vectors += vectors;
	if (wanted != 1 || vectors)
		return ARGUMENT_IS_ELSEWHERE;
	*number = arguments->used;
	return ARGUMENT_IS_IN_REGISTER;
}
