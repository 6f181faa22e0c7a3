/* SPDX-License-Identifier: MIT */
/*
 * Reads a class file from its header to its methods, and copies unchanged
 * parts. New constants follow the existing ones and are complete only after all
 * methods; the part after the constants is therefore written separately.
 */
#include <string.h>

#include "classfile/rewriting.h"

#define MAGIC     0xcafebabe
#define OLDEST    45
#define WIDE_CODE 3 /* minor version of 45 from which code has wide fields */
#define NATIVE    0x0100
#define ABSTRACT  0x0400
#define HEADER    8 /* bytes before the count of constants */

static int skip_attributes(struct class_input *input)
{
	uint32_t count = input_u2(input), name;
	struct class_input content;

	while (count-- > 0)
		if (!read_attribute(input, &name, &content))
			return 0;
	return !input->is_short;
}

/* ---- Methods ---- */

/*
 * Finds the method's code. Returns whether there is one, or -1 if it is
 * malformed.
 */
static int find_code(const struct rewriting *re, struct old_method *method)
{
	struct class_input input = method->attributes, content;
	int found = 0;

	for (uint32_t i = 0; i < method->attribute_count; i++) {
		struct classfile_name called;
		uint32_t name;

		if (!read_attribute(&input, &name, &content))
			return -1;
		if (!pool_name(&re->pool, name, &called) ||
		    !name_is(&called, "Code"))
			continue;
		if (found++ || !method_code_read(&method->code, content))
			return -1;
	}
	return found;
}

/* Returns the line of the first instruction, from a table in any order. */
static uint16_t first_line(const struct rewriting *re,
			   const struct method_code *code)
{
	struct class_input input = code->attributes, content;
	uint32_t first = UINT32_MAX, name;
	struct classfile_name called;
	uint16_t line = 0;

	for (uint32_t i = 0; i < code->attribute_count; i++) {
		if (!read_attribute(&input, &name, &content) ||
		    !pool_name(&re->pool, name, &called) ||
		    !name_is(&called, "LineNumberTable"))
			continue;
		for (uint32_t left = input_u2(&content); left > 0; left--) {
			const uint32_t at = input_u2(&content);
			const uint16_t of = input_u2(&content);

			if (at < first && !content.is_short) {
				first = at;
				line = of;
			}
		}
	}
	return line;
}

/* Reads the data that the caller may query. Returns whether it is complete. */
static int read_method(const struct rewriting *re, struct class_input *input,
		       struct old_method *method)
{
	*method = (struct old_method){ .start = input->at };
	method->asked.class_name = re->class_name;
	method->asked.source = re->source;
	method->asked.class_access = (uint16_t)re->class_access;
	method->asked.access = input_u2(input);
	if (!pool_name(&re->pool, input_u2(input), &method->asked.name) ||
	    !pool_name(&re->pool, input_u2(input), &method->asked.descriptor))
		return 0;
	method->attribute_count = input_u2(input);
	method->attributes = *input;
	input->at -= 2;
	return !input->is_short && skip_attributes(input);
}

static enum classfile_refusal write_method(struct rewriting *re,
					   struct class_input *input)
{
	const struct classfile_caller *caller = re->caller;
	const size_t before = re->body.used;
	enum classfile_refusal why = CLASSFILE_DONE;
	struct old_method method;
	int64_t number = -1;
	int has_code;

	if (!read_method(re, input, &method))
		return CLASSFILE_MALFORMED;
	has_code = find_code(re, &method);
	if (has_code < 0)
		return CLASSFILE_MALFORMED;
	method.asked.code_bytes = method.code.length;
	if (has_code)
		method.asked.line = first_line(re, &method.code);
	if (has_code && !(method.asked.access & (NATIVE | ABSTRACT)))
		number = caller->choose(caller->context, &method.asked);
	if (number >= 0)
		why = method_rewrite(re, &method, (uint32_t)number);
	if (number >= 0 && !why) {
		re->method_count++;
		return CLASSFILE_DONE;
	}
	if (why && caller->refused)
		caller->refused(caller->context, &method.asked, why);
	if (!re->body.is_full)
		re->body.used = before;
	output_bytes(&re->body, method.start,
		     (size_t)(input->at - method.start));
	return CLASSFILE_DONE;
}

/* ---- Classes ---- */

static int skip_fields(struct class_input *input)
{
	uint32_t count = input_u2(input);

	while (count-- > 0)
		if (!input_take(input, 6) || !skip_attributes(input))
			return 0;
	return !input->is_short;
}

/* Reads the source file's name, which follows the methods. */
static void read_source(struct rewriting *re, struct class_input input)
{
	uint32_t count = input_u2(&input), name;
	struct classfile_name called;
	struct class_input content;

	while (count-- > 0)
		if (!input_take(&input, 6) || !skip_attributes(&input))
			return;
	for (count = input_u2(&input); count > 0; count--) {
		if (!read_attribute(&input, &name, &content))
			return;
		if (pool_name(&re->pool, name, &called) &&
		    name_is(&called, "SourceFile"))
			pool_name(&re->pool, input_u2(&content), &re->source);
	}
}

static enum classfile_refusal read_header(struct rewriting *re,
					  struct class_input *input)
{
	uint32_t minor;

	if (input_u4(input) != MAGIC)
		return CLASSFILE_MALFORMED;
	minor = input_u2(input);
	re->major = input_u2(input);
	if (input->is_short)
		return CLASSFILE_MALFORMED;
	if (re->major > CLASSFILE_NEWEST)
		return CLASSFILE_TOO_NEW;
	if (re->major < OLDEST || (re->major == OLDEST && minor < WIDE_CODE))
		return CLASSFILE_TOO_OLD;
	return pool_read(&re->pool, input, re->caller);
}

static enum classfile_refusal write_body(struct rewriting *re,
					 struct class_input *input)
{
	const uint8_t *start = input->at;
	uint32_t count;

	re->class_access = input_u2(input);
	re->class_number = input_u2(input);
	if (!pool_class_name(&re->pool, re->class_number, &re->class_name))
		return CLASSFILE_MALFORMED;
	re->has_super = input_u2(input) != 0;
	input_take(input, 2 * (size_t)input_u2(input));
	if (!skip_fields(input))
		return CLASSFILE_MALFORMED;
	read_source(re, *input);
	count = input_u2(input);
	output_bytes(&re->body, start, (size_t)(input->at - start));
	for (uint32_t i = 0; i < count; i++) {
		const enum classfile_refusal why = write_method(re, input);

		if (why)
			return why;
	}
	start = input->at;
	if (!skip_attributes(input) || input_left(input) > 0)
		return CLASSFILE_MALFORMED;
	output_bytes(&re->body, start, (size_t)(input->at - start));
	return CLASSFILE_DONE;
}

/* Writes the whole class in one piece. */
static enum classfile_refusal compose(struct rewriting *re,
				      const uint8_t *pool_end,
				      struct classfile_result *result)
{
	struct class_output whole = { .caller = re->caller };
	const uint8_t *pool = re->data + HEADER + 2;

	output_bytes(&whole, re->data, HEADER);
	output_u2(&whole, re->pool.next);
	output_bytes(&whole, pool, (size_t)(pool_end - pool));
	output_bytes(&whole, re->pool.added.data, re->pool.added.used);
	output_bytes(&whole, re->body.data, re->body.used);
	if (whole.is_full || re->pool.added.is_full || re->body.is_full)
		return CLASSFILE_NO_MEMORY;
	*result = (struct classfile_result){ whole.data, whole.used,
					     re->method_count };
	return CLASSFILE_DONE;
}

enum classfile_refusal classfile_rewrite(
	const uint8_t *data, size_t bytes,
	const struct classfile_tracker *tracker,
	const struct classfile_caller *caller, struct classfile_result *result)
{
	struct class_input input = { data, data + bytes, 0 };
	struct rewriting re = { .tracker = tracker,
				.caller = caller,
				.data = data,
				.body = { .caller = caller } };
	const uint8_t *pool_end;
	enum classfile_refusal why = read_header(&re, &input);

	if (why)
		return why;
	pool_end = input.at;
	why = write_body(&re, &input);
	if (why)
		return why;
	if (re.method_count > 0)
		return compose(&re, pool_end, result);
	*result = (struct classfile_result){ NULL, 0, 0 };
	return CLASSFILE_DONE;
}

const char *classfile_refusal_text(enum classfile_refusal why)
{
	static const char *const texts[CLASSFILE_REFUSALS] = {
		[CLASSFILE_DONE] = "is changed",
		[CLASSFILE_MALFORMED] = "is not a class file that can be read",
		[CLASSFILE_TOO_OLD] = "has a version before 45.3",
		[CLASSFILE_TOO_NEW] = "has a version after 69",
		[CLASSFILE_NO_MEMORY] = "could not be changed: out of memory",
		[CLASSFILE_POOL_FULL] = "has no room for more constants",
		[CLASSFILE_CODE_MALFORMED] = "has code that cannot be read",
		[CLASSFILE_SUBROUTINES] = "has subroutines (jsr, ret)",
		[CLASSFILE_TOO_LARGE] = "would be too large",
		[CLASSFILE_FAR_JUMP] = "would have a jump that is too long",
		[CLASSFILE_CONSTRUCTOR] =
			"has a constructor with an unusual structure",
	};

	return why < CLASSFILE_REFUSALS ? texts[why] : "";
}
