/* SPDX-License-Identifier: MIT */
/* See method_tables.h. */
#include "classfile/method_tables.h"

/*
 * Returns the new start of a range. A range that began at 0 still does, and
 * includes the call of the tracker.
 */
static uint32_t moved(const struct method_code *code, uint32_t offset)
{
	return offset == 0 ? 0 : method_code_near(code, offset);
}

int method_tables_range(const struct method_code *code, uint32_t *start,
			uint32_t *length)
{
	const uint32_t end = *start + *length;

	if (end > code->length)
		return 0;
	*start = moved(code, *start);
	*length = moved(code, end) - *start;
	return 1;
}

enum classfile_refusal method_lines_write(const struct method_code *code,
					  struct class_input input,
					  struct class_output *output)
{
	const uint32_t count = input_u2(&input);

	output_u4(output, 2 + count * 4);
	output_u2(output, count);
	for (uint32_t i = 0; i < count; i++) {
		const uint32_t start = input_u2(&input);

		if (start >= code->length)
			return CLASSFILE_CODE_MALFORMED;
		output_u2(output, moved(code, start));
		output_u2(output, input_u2(&input));
	}
	return input.is_short || input_left(&input) > 0
		       ? CLASSFILE_CODE_MALFORMED
		       : CLASSFILE_DONE;
}

enum classfile_refusal method_variables_write(const struct method_code *code,
					      struct class_input input,
					      struct class_output *output)
{
	const uint32_t count = input_u2(&input);

	output_u4(output, 2 + count * 10);
	output_u2(output, count);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t start = input_u2(&input), length = input_u2(&input);
		const uint8_t *rest = input_take(&input, 6);

		if (!rest || !method_tables_range(code, &start, &length))
			return CLASSFILE_CODE_MALFORMED;
		output_u2(output, start);
		output_u2(output, length);
		output_bytes(output, rest, 6);
	}
	return input.is_short || input_left(&input) > 0
		       ? CLASSFILE_CODE_MALFORMED
		       : CLASSFILE_DONE;
}
