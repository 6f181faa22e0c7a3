/* SPDX-License-Identifier: MIT */
#include "tests/unit/classfile_sketch.h"

#include <stdlib.h>
#include <string.h>

struct sketch_memory sketch_memory;
int32_t sketch_chosen = 7;
enum classfile_refusal sketch_told;
struct classfile_method sketch_asked;

static void *give(void *context, size_t bytes)
{
	if (sketch_memory.count >= sketch_memory.max)
		return NULL;
	return sketch_memory.left[sketch_memory.count++] = malloc(bytes);
}

static int64_t choose(void *context, const struct classfile_method *method)
{
	sketch_asked = *method;
	return sketch_chosen;
}

static void refuse(void *context, const struct classfile_method *method,
		   enum classfile_refusal why)
{
	sketch_told = why;
}

const struct classfile_caller sketch_caller = { NULL, give, choose, refuse };
struct classfile_tracker sketch_tracker = {
	.class_name = "T",
	.enter = { "enter", "(I)V" },
	.exit = { "exit", "(I)V" },
	.thrown = { "thrown", "(I)V" },
};

static void put_string(struct class_output *out, const char *text)
{
	output_u1(out, 1);
	output_u2(out, (uint32_t)strlen(text));
	output_bytes(out, text, strlen(text));
}

static void put_pair(struct class_output *out, uint32_t tag, uint32_t one,
		     uint32_t other)
{
	output_u1(out, tag);
	output_u2(out, one);
	if (tag != 7)
		output_u2(out, other);
}

static void put_constants(struct class_output *out)
{
	output_u2(out, NEXT);
	put_string(out, "A");
	put_pair(out, 7, NAME_A, 0);
	put_string(out, "java/lang/Object");
	put_pair(out, 7, NAME_OBJECT, 0);
	put_string(out, "Code");
	put_string(out, "m");
	put_string(out, "()V");
	put_string(out, "<init>");
	put_pair(out, 12, NAME_INIT, TYPE_V);
	put_pair(out, 10, CLASS_OBJECT, INIT_V);
	put_string(out, "StackMapTable");
	put_string(out, "LineNumberTable");
	output_u1(out, 5);
	output_u4(out, 0);
	output_u4(out, 1);
	put_string(out, "LocalVariableTable");
	put_string(out, "RuntimeVisibleTypeAnnotations");
	put_string(out, "Other");
}

static void put_code(struct class_output *out, const struct sketch *sketch)
{
	static const uint8_t none[2];
	size_t length_at;

	output_u2(out, NAME_CODE);
	length_at = out->used;
	output_u4(out, 0);
	output_u2(out, 2);
	output_u2(out, 3);
	output_u4(out, (uint32_t)sketch->length);
	output_bytes(out, sketch->code, sketch->length);
	output_bytes(out, sketch->exceptions ? sketch->exceptions : none,
		     sketch->exceptions ? sketch->exceptions_bytes : 2);
	output_bytes(out, sketch->attributes ? sketch->attributes : none,
		     sketch->attributes ? sketch->attributes_bytes : 2);
	output_set_u4(out, length_at, (uint32_t)(out->used - length_at - 4));
}

struct class_output sketch_make(const struct sketch *sketch)
{
	struct class_output out = { .caller = &sketch_caller };

	sketch_memory.count = 0;
	sketch_memory.max = 64;
	output_u4(&out, 0xcafebabe);
	output_u4(&out, sketch->major ? sketch->major : 52);
	put_constants(&out);
	output_u2(&out, 0x21);
	output_u2(&out, CLASS_A);
	output_u2(&out, CLASS_OBJECT);
	output_u2(&out, 0);
	output_u2(&out, 0);
	output_u2(&out, 1);
	output_u2(&out, sketch->access ? sketch->access : 8);
	output_u2(&out, sketch->name ? sketch->name : NAME_M);
	output_u2(&out, TYPE_V);
	output_u2(&out, sketch->length > 0);
	if (sketch->length > 0)
		put_code(&out, sketch);
	output_u2(&out, 0);
	return out;
}

void sketch_free(void)
{
	while (sketch_memory.count > 0)
		free(sketch_memory.left[--sketch_memory.count]);
}

/* Reads the code of a class's only method. */
static void read_code(const uint8_t *data, size_t bytes,
		      struct method_code *code)
{
	struct class_input input = { data + 8, data + bytes, 0 };
	struct class_pool pool;
	uint32_t length;

	assert_int_equal(pool_read(&pool, &input, &sketch_caller),
			 CLASSFILE_DONE);
	input_take(&input, 22); /* skips up to the attribute's length */
	length = input_u4(&input);
	assert_true(method_code_read(code, input_part(&input, length)));
	assert_int_equal(input_u2(&input), 0);
	assert_int_equal(input_left(&input), 0);
	assert_false(input.is_short);
}

enum classfile_refusal sketch_rewrite(const struct sketch *sketch,
				      struct method_code *code)
{
	const struct class_output made = sketch_make(sketch);
	struct classfile_result result = { 0 };
	enum classfile_refusal why;

	sketch_told = CLASSFILE_DONE;
	why = classfile_rewrite(made.data, made.used, &sketch_tracker,
				&sketch_caller, &result);
	if (!why && !sketch_told) {
		assert_int_equal(result.method_count, 1);
		read_code(result.data, result.bytes, code);
	}
	return why ? why : sketch_told;
}

void sketch_assert_bytes(const uint8_t *is, size_t is_length,
			 const uint8_t *expected, size_t length)
{
	assert_int_equal(is_length, length);
	assert_memory_equal(is, expected, length);
}
