/* SPDX-License-Identifier: MIT */
/*
 * See method_tables.h. Annotations of types in code: their target is an offset,
 * or ranges of a variable. The rest is copied; it must be parsed to find its
 * end.
 */
#include "classfile/method_tables.h"

#define DEPTH_MAX 32 /* maximum depth of nested annotations */

enum annotated {
	LOCAL_VARIABLE = 0x40,
	RESOURCE_VARIABLE = 0x41,
	CATCH = 0x42,
	INSTANCEOF = 0x43,
	METHOD_REFERENCE = 0x46,
	CAST = 0x47,
	METHOD_REFERENCE_ARGUMENT = 0x4b,
};

static int skip_annotation(struct class_input *input, int depth);

static int skip_value(struct class_input *input, int depth)
{
	uint32_t count;

	if (depth == 0)
		return 0;
	switch (input_u1(input)) {
	case 'e':
		return input_take(input, 4) != NULL;
	case '@':
		return skip_annotation(input, depth - 1);
	case '[':
		count = input_u2(input);
		while (count-- > 0)
			if (!skip_value(input, depth - 1))
				return 0;
		return !input->is_short;
	default: /* the value is a constant or a class */
		return input_take(input, 2) != NULL;
	}
}

/* Skips an annotation, beginning with its type. */
static int skip_annotation(struct class_input *input, int depth)
{
	uint32_t count;

	input_u2(input);
	count = input_u2(input);
	while (count-- > 0)
		if (!input_take(input, 2) || !skip_value(input, depth))
			return 0;
	return !input->is_short;
}

static int move_variable(const struct method_code *code,
			 struct class_input *input, struct class_output *output)
{
	const uint32_t count = input_u2(input);

	output_u2(output, count);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t start = input_u2(input), length = input_u2(input);

		if (input->is_short ||
		    !method_tables_range(code, &start, &length))
			return 0;
		output_u2(output, start);
		output_u2(output, length);
		output_u2(output, input_u2(input));
	}
	return !input->is_short;
}

/* Moves the target of an annotation. */
static int move_target(const struct method_code *code,
		       struct class_input *input, struct class_output *output)
{
	const uint8_t target = input_u1(input);
	uint32_t offset;

	output_u1(output, target);
	if (target == LOCAL_VARIABLE || target == RESOURCE_VARIABLE)
		return move_variable(code, input, output);
	if (target == CATCH) {
		output_u2(output, input_u2(input));
		return !input->is_short;
	}
	if (target < INSTANCEOF || target > METHOD_REFERENCE_ARGUMENT)
		return 0;
	offset = input_u2(input);
	if (offset >= code->length)
		return 0;
	output_u2(output, method_code_near(code, offset));
	if (target >= CAST)
		output_u1(output, input_u1(input));
	return !input->is_short;
}

enum classfile_refusal type_annotations_write(const struct method_code *code,
					      struct class_input input,
					      struct class_output *output)
{
	const size_t length_at = output->used;
	const uint32_t count = input_u2(&input);

	output_u4(output, 0);
	output_u2(output, count);
	for (uint32_t i = 0; i < count; i++) {
		const uint8_t *rest;

		if (!move_target(code, &input, output))
			return CLASSFILE_CODE_MALFORMED;
		rest = input.at;
		if (!input_take(&input, 2 * (size_t)input_u1(&input)) ||
		    !skip_annotation(&input, DEPTH_MAX))
			return CLASSFILE_CODE_MALFORMED;
		output_bytes(output, rest, (size_t)(input.at - rest));
	}
	if (input.is_short || input_left(&input) > 0)
		return CLASSFILE_CODE_MALFORMED;
	output_set_u4(output, length_at,
		      (uint32_t)(output->used - length_at - 4));
	return CLASSFILE_DONE;
}
