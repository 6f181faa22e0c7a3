/* SPDX-License-Identifier: MIT */
/*
 * classfile/: classes that are made by hand, and what is in their methods when they
 * have been rewritten. Whether a Java virtual machine takes real ones is shown by
 * e2e/java_rewritten.
 */
#include "tests/unit/unit.h"

#include <stdlib.h>
#include <string.h>

#include "classfile/class_pool.h"
#include "classfile/classfile.h"
#include "classfile/method_code.h"

/* Constants of each class that is made. */
enum {
	NAME_A = 1,
	CLASS_A,
	NAME_OBJECT,
	CLASS_OBJECT,
	NAME_CODE,
	NAME_M,
	TYPE_V,
	NAME_INIT,
	INIT_V,
	OBJECT_INIT,
	NAME_FRAMES,
	NAME_LINES,
	A_LONG, /* takes two */
	NAME_VARIABLES = A_LONG + 2,
	NAME_ANNOTATIONS,
	NAME_OTHER,
	NEXT,
};

/* The constants that come behind them, in a class with frames. */
enum {
	ADDED_ENTER = NEXT + 5,
	ADDED_FRAMES,
	ADDED_THROWABLE = ADDED_FRAMES + 2,
	ADDED_EXIT = ADDED_THROWABLE + 4,
	ADDED_THROWN = ADDED_EXIT + 4,
	ADDED_NUMBER,
};

struct sketch {
	const uint8_t *code;
	size_t length;
	const uint8_t *exceptions; /* with their count */
	size_t exceptions_bytes;
	const uint8_t *attributes; /* likewise */
	size_t attributes_bytes;
	uint32_t major, access, name; /* 0: 52, static, NAME_M */
};

#define BYTES(...)                                                             \
	(const uint8_t[]){ __VA_ARGS__ },                                      \
		sizeof((const uint8_t[]){ __VA_ARGS__ })

static void *memory_left[64];
static uint32_t blocks, blocks_max;

static void *give(void *context, size_t bytes)
{
	if (blocks >= blocks_max)
		return NULL;
	return memory_left[blocks++] = malloc(bytes);
}

static int32_t chosen = 7;
static enum classfile_refusal told;
static struct classfile_method asked;

static int64_t choose(void *context, const struct classfile_method *method)
{
	asked = *method;
	return chosen;
}

static void refuse(void *context, const struct classfile_method *method,
		   enum classfile_refusal why)
{
	told = why;
}

static const struct classfile_caller caller = { NULL, give, choose, refuse };
static struct classfile_tracker tracker = {
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

/* The class; give() is then as it was. */
static struct class_output make(const struct sketch *sketch)
{
	struct class_output out = { .caller = &caller };

	blocks = 0;
	blocks_max = 64;
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

static void free_memory(void)
{
	while (blocks > 0)
		free(memory_left[--blocks]);
}

/* The code of a class's one method. */
static void read_code(const uint8_t *data, size_t bytes,
		      struct method_code *code)
{
	struct class_input input = { data + 8, data + bytes, 0 };
	struct class_pool pool;
	uint32_t length;

	assert_int_equal(pool_read(&pool, &input, &caller), CLASSFILE_DONE);
	input_take(&input, 22); /* to the attribute's length */
	length = input_u4(&input);
	assert_true(method_code_read(code, input_part(&input, length)));
	assert_int_equal(input_u2(&input), 0);
	assert_int_equal(input_left(&input), 0);
	assert_false(input.is_short);
}

static enum classfile_refusal rewrite(const struct sketch *sketch,
				      struct method_code *code)
{
	const struct class_output made = make(sketch);
	struct classfile_result result = { 0 };
	enum classfile_refusal why;

	told = CLASSFILE_DONE;
	why = classfile_rewrite(made.data, made.used, &tracker, &caller,
				&result);
	if (!why && !told) {
		assert_int_equal(result.method_count, 1);
		read_code(result.data, result.bytes, code);
	}
	return why ? why : told;
}

static void assert_bytes(const uint8_t *is, size_t is_length,
			 const uint8_t *expected, size_t length)
{
	assert_int_equal(is_length, length);
	assert_memory_equal(is, expected, length);
}

#define ENTER   0x11, 0, 7, 0xb8, 0, ADDED_ENTER
#define EXIT    0x11, 0, 7, 0xb8, 0, ADDED_EXIT
#define THROWN  0x11, 0, 7, 0xb8, 0, ADDED_THROWN, 0xbf
#define HANDLER 0, 0, 0, 1, 7, 0, ADDED_THROWABLE /* no locals, an exception */

#define EXPECT_CODE(code, ...)                                                 \
	assert_bytes((code).bytes, (code).length, BYTES(__VA_ARGS__))
#define EXPECT_EXCEPTIONS(code, ...)                                           \
	assert_bytes((code).exceptions, (code).exception_count * 8,            \
		     BYTES(__VA_ARGS__))
#define EXPECT_ATTRIBUTES(code, ...)                                           \
	assert_bytes((code).attributes.at, input_left(&(code).attributes),     \
		     BYTES(__VA_ARGS__))

/* ---- Calls ---- */

static void a_method_tells_of_its_entry_and_its_ends(void **state)
{
	const struct sketch sketch = { .code = BYTES(0x00, 0xb1) };
	struct method_code code;

	assert_int_equal(rewrite(&sketch, &code), CLASSFILE_DONE);
	EXPECT_CODE(code, ENTER, 0x00, EXIT, 0xb1, THROWN);
	EXPECT_EXCEPTIONS(code, 0, 6, 0, 14, 0, 14, 0, 0);
	EXPECT_ATTRIBUTES(code, 0, ADDED_FRAMES, 0, 0, 0, 12, 0, 1, 255, 0, 14,
			  HANDLER);
	assert_int_equal(code.max_stack, 3);
	assert_int_equal(code.max_locals, 3);
	assert_int_equal(asked.code_bytes, 2);
	assert_int_equal(asked.access, 8);
	assert_int_equal(asked.class_access, 0x21);
	assert_true(name_is(&asked.class_name, "A"));
	assert_true(name_is(&asked.name, "m"));
	assert_true(name_is(&asked.descriptor, "()V"));
	free_memory();
}

static void a_large_number_is_a_constant(void **state)
{
	const struct sketch sketch = { .code = BYTES(0xb1) };
	struct method_code code;

	chosen = 32768;
	assert_int_equal(rewrite(&sketch, &code), CLASSFILE_DONE);
	EXPECT_CODE(code, 0x13, 0, ADDED_NUMBER, 0xb8, 0, ADDED_ENTER, 0x13, 0,
		    ADDED_NUMBER, 0xb8, 0, ADDED_EXIT, 0xb1, 0x13, 0,
		    ADDED_NUMBER, 0xb8, 0, ADDED_THROWN, 0xbf);
	chosen = 7;
	free_memory();
}

static void calls_need_no_number_and_no_third_method(void **state)
{
	const struct sketch sketch = { .code = BYTES(0xb1) };
	const struct classfile_tracker with_all = tracker;
	struct method_code code;

	tracker = (struct classfile_tracker){ .class_name = "T",
					      { "in", "()V" },
					      { "out", "()V" } };
	assert_int_equal(rewrite(&sketch, &code), CLASSFILE_DONE);
	EXPECT_CODE(code, 0xb8, 0, ADDED_ENTER, 0xb8, 0, ADDED_EXIT, 0xb1, 0xb8,
		    0, ADDED_EXIT, 0xbf);
	assert_int_equal(code.max_stack, 2);
	tracker = with_all;
	free_memory();
}

#define ADDED_CAUGHT ADDED_THROWN
#define KEPT         3 /* behind the method's own variables */
#define LEAVE        0x16, KEPT, 0xb8, 0, ADDED_EXIT

static void what_an_entry_returns_is_kept_in_each_frame(void **state)
{
	const struct sketch sketch = {
		.code = BYTES(0x00, 0xb1),
		.exceptions = BYTES(0, 1, 0, 0, 0, 1, 0, 1, 0, 0),
		.attributes = BYTES(0, 1, 0, NAME_FRAMES, 0, 0, 0, 6, 0, 1, 65,
				    7, 0, CLASS_A),
	};
	const struct classfile_tracker with_numbers = tracker;
	struct method_code code;

	tracker = (struct classfile_tracker){
		.class_name = "T",
		.enter = { "enter", "(I)J" },
		.exit = { "exit", "(J)V" },
		.caught = { "caught", "(JI)V" },
	};
	assert_int_equal(rewrite(&sketch, &code), CLASSFILE_DONE);
	EXPECT_CODE(code, ENTER, 0x37, KEPT, 0x00, 0x16, KEPT, 0x11, 0, 7, 0xb8,
		    0, ADDED_CAUGHT, LEAVE, 0xb1, LEAVE, 0xbf);
	/* Before all others: of what the call at 9 throws. */
	EXPECT_EXCEPTIONS(code, 0, 9, 0, 17, 0, 17, 0, 0, 0, 8, 0, 9, 0, 9, 0,
			  0, 0, 8, 0, 23, 0, 23, 0, 0);
	EXPECT_ATTRIBUTES(code, 0, ADDED_FRAMES, 0, 0, 0, 34, 0, 3, 255, 0, 9,
			  0, 4, 0, 0, 0, 4, 0, 1, 7, 0, CLASS_A, 71, 7, 0,
			  CLASS_A, 255, 0, 5, 0, 4, 0, 0, 0, 4, 0, 1, 7, 0,
			  ADDED_THROWABLE);
	assert_int_equal(code.max_stack, 4);
	assert_int_equal(code.max_locals, 5);
	tracker = with_numbers;
	free_memory();
}

#define ADDED_GATE     (ADDED_EXIT + 4)
#define ADDED_CATCHING (ADDED_GATE + 4)
#define STATE          (KEPT + 2)
#define SILENT         0x0a, 0x37, KEPT, 0xb2, 0, ADDED_GATE
#define TEST           0x16, KEPT, 0x0a, 0x94, 0x9a
#define GATED_LOCALS   0, 4, 0, 0, 0, 4
#define GATED_THROWN   LEAVE, 0xbf
#define GATED_HANDLER  0, 1, 7, 0, ADDED_THROWABLE

static const struct classfile_tracker gated = {
	.class_name = "T",
	.enter = { "enter", "(I)J" },
	.gate = "ON",
	.catching = { "catching", "(II)J" },
	.exit = { "exit", "(J)V" },
	.caught = { "caught", "(JII)V" },
};

static void calls_pass_by_a_gate(void **state)
{
	const struct sketch sketch = { .code = BYTES(0x00, 0xb1) };
	const struct classfile_tracker with_numbers = tracker;
	struct method_code code;

	tracker = gated;
	assert_int_equal(rewrite(&sketch, &code), CLASSFILE_DONE);
	EXPECT_CODE(code, SILENT, 0x9e, 0, 11, ENTER, 0x37, KEPT, 0x00, TEST, 0,
		    4, 0xb1, LEAVE, 0xb1, GATED_THROWN);
	EXPECT_EXCEPTIONS(code, 0, 17, 0, 26, 0, 32, 0, 0, 0, 26, 0, 32, 0, 32,
			  0, 0);
	EXPECT_ATTRIBUTES(code, 0, ADDED_FRAMES, 0, 0, 0, 38, 0, 3, 255, 0, 17,
			  GATED_LOCALS, 0, 0, 255, 0, 8, GATED_LOCALS, 0, 0,
			  255, 0, 5, GATED_LOCALS, GATED_HANDLER);
	assert_int_equal(code.max_stack, 5);
	assert_int_equal(code.max_locals, 5);
	tracker = with_numbers;
	free_memory();
}

/* It is kept, and told to handlers; a return with more on the stack shares no exit. */
static void a_gate_is_kept_where_handlers_are(void **state)
{
	const struct sketch sketch = {
		.code = BYTES(0x00, 0xb1),
		.exceptions = BYTES(0, 1, 0, 0, 0, 1, 0, 1, 0, 0),
		.attributes = BYTES(0, 1, 0, NAME_FRAMES, 0, 0, 0, 6, 0, 1, 65,
				    7, 0, CLASS_A),
	};
	const struct classfile_tracker with_numbers = tracker;
	struct method_code code;

	tracker = gated;
	assert_int_equal(rewrite(&sketch, &code), CLASSFILE_DONE);
	EXPECT_CODE(code, SILENT, 0x59, 0x36, STATE, 0x99, 0, 13, 0x11, 0, 7,
		    0x15, STATE, 0xb8, 0, ADDED_CATCHING, 0x37, KEPT, 0x00,
		    0x16, KEPT, 0x11, 0, 7, 0x15, STATE, 0xb8, 0,
		    ADDED_CATCHING + 4, LEAVE, 0xb1, GATED_THROWN);
	EXPECT_EXCEPTIONS(code, 0, 23, 0, 33, 0, 33, 0, 0, 0, 22, 0, 23, 0, 23,
			  0, 0, 0, 22, 0, 39, 0, 39, 0, 0);
	EXPECT_ATTRIBUTES(code, 0, ADDED_FRAMES, 0, 0, 0, 48, 0, 4, 255, 0, 22,
			  0, 5, 0, 0, 0, 4, 1, 0, 0, 255, 0, 0, 0, 5, 0, 0, 0,
			  4, 1, 0, 1, 7, 0, CLASS_A, 73, 7, 0, CLASS_A, 255, 0,
			  5, 0, 5, 0, 0, 0, 4, 1, GATED_HANDLER);
	assert_int_equal(code.max_stack, 5);
	assert_int_equal(code.max_locals, 6);
	tracker = with_numbers;
	free_memory();
}

static void a_shared_exit_may_have_its_own_call(void **state)
{
	const struct sketch sketch = { .code = BYTES(0x00, 0xb1) };
	const struct classfile_tracker with_numbers = tracker;
	struct method_code code;

	tracker = gated;
	tracker.leave = (struct classfile_call){ "leave", "(J)V" };
	assert_int_equal(rewrite(&sketch, &code), CLASSFILE_DONE);
	EXPECT_CODE(code, SILENT, 0x9e, 0, 11, ENTER, 0x37, KEPT, 0x00, TEST, 0,
		    4, 0xb1, 0x16, KEPT, 0xb8, 0, ADDED_GATE + 4, 0xb1,
		    GATED_THROWN);
	tracker = with_numbers;
	free_memory();
}

static void a_loop_to_the_beginning_has_its_frame_there(void **state)
{
	/* 0: iload_0; 1: ifeq 7; 4: goto 0; 7: return */
	const struct sketch sketch = {
		.code = BYTES(0x1a, 0x99, 0, 6, 0xa7, 0xff, 0xfc, 0xb1),
		.attributes =
			BYTES(0, 1, 0, NAME_FRAMES, 0, 0, 0, 4, 0, 2, 0, 6),
	};
	const struct classfile_tracker with_numbers = tracker;
	struct method_code code;

	tracker = gated;
	assert_int_equal(rewrite(&sketch, &code), CLASSFILE_DONE);
	EXPECT_CODE(code, SILENT, 0x9e, 0, 11, ENTER, 0x37, KEPT, 0x1a, 0x99, 0,
		    6, 0xa7, 0xff, 0xfc, TEST, 0, 4, 0xb1, LEAVE, 0xb1,
		    GATED_THROWN);
	EXPECT_ATTRIBUTES(code, 0, ADDED_FRAMES, 0, 0, 0, 49, 0, 4, 255, 0, 17,
			  GATED_LOCALS, 0, 0, 255, 0, 6, GATED_LOCALS, 0, 0,
			  255, 0, 7, GATED_LOCALS, 0, 0, 255, 0, 5,
			  GATED_LOCALS, GATED_HANDLER);
	tracker = with_numbers;
	free_memory();
}

/* What follows one that does not go on has a frame, or else nobody knows the stack. */
static void returns_share_an_exit_where_the_stack_is_known(void **state)
{
	/* 0: iconst_0; 1: goto 5; 4: return; 5: pop; 6: return */
	const struct sketch sketch = {
		.code = BYTES(0x03, 0xa7, 0, 4, 0xb1, 0x57, 0xb1),
		.attributes =
			BYTES(0, 1, 0, NAME_FRAMES, 0, 0, 0, 4, 0, 1, 69, 1),
	};
	const struct classfile_tracker with_numbers = tracker;
	struct method_code code;

	tracker = gated;
	assert_int_equal(rewrite(&sketch, &code), CLASSFILE_DONE);
	EXPECT_CODE(code, SILENT, 0x9e, 0, 11, ENTER, 0x37, KEPT, 0x03, 0xa7, 0,
		    9, LEAVE, 0xb1, 0x57, TEST, 0, 4, 0xb1, LEAVE, 0xb1,
		    GATED_THROWN);
	tracker = with_numbers;
	free_memory();
}

static void what_a_handler_begins_with_may_jump(void **state)
{
	/* 0: nop; 1: return; 2: goto 5; 5: return */
	const struct sketch sketch = {
		.code = BYTES(0x00, 0xb1, 0xa7, 0, 3, 0xb1),
		.exceptions = BYTES(0, 1, 0, 0, 0, 1, 0, 2, 0, 0),
		.attributes = BYTES(0, 1, 0, NAME_FRAMES, 0, 0, 0, 10, 0, 2, 66,
				    7, 0, CLASS_A, 66, 7, 0, CLASS_A),
	};
	const struct classfile_tracker with_numbers = tracker;
	struct method_code code;

	tracker = gated;
	tracker.gate = NULL;
	tracker.caught.descriptor = "(JI)V";
	assert_int_equal(rewrite(&sketch, &code), CLASSFILE_DONE);
	EXPECT_CODE(code, ENTER, 0x37, KEPT, 0x00, LEAVE, 0xb1, 0x16, KEPT,
		    0x11, 0, 7, 0xb8, 0, ADDED_CAUGHT, 0xa7, 0, 3, LEAVE, 0xb1,
		    LEAVE, 0xbf);
	tracker = with_numbers;
	free_memory();
}

static void old_classes_have_no_frames(void **state)
{
	const struct sketch sketch = { .major = 49, .code = BYTES(0xb1) };
	struct method_code code;

	assert_int_equal(rewrite(&sketch, &code), CLASSFILE_DONE);
	assert_int_equal(code.attribute_count, 0);
	assert_int_equal(input_left(&code.attributes), 0);
	free_memory();
}

/* ---- Code that moves ---- */

static void jumps_lead_behind_the_entry_and_before_exits(void **state)
{
	/* 0: iload_0; 1: ifeq 7; 4: goto 0; 7: return */
	const struct sketch sketch = {
		.code = BYTES(0x1a, 0x99, 0, 6, 0xa7, 0xff, 0xfc, 0xb1),
		.attributes =
			BYTES(0, 1, 0, NAME_FRAMES, 0, 0, 0, 4, 0, 2, 0, 6),
	};
	struct method_code code;

	assert_int_equal(rewrite(&sketch, &code), CLASSFILE_DONE);
	EXPECT_CODE(code, ENTER, 0x1a, 0x99, 0, 6, 0xa7, 0xff, 0xfc, EXIT, 0xb1,
		    THROWN);
	EXPECT_ATTRIBUTES(code, 0, ADDED_FRAMES, 0, 0, 0, 14, 0, 3, 6, 6, 255,
			  0, 6, HANDLER);
	free_memory();
}

static void switches_are_padded_anew(void **state)
{
	/* 0: iload_0; 1: tableswitch 1..1: 20, default 20; 20: return */
	const struct sketch table = {
		.code = BYTES(0x1a, 0xaa, 0, 0, 0, 0, 0, 19, 0, 0, 0, 1, 0, 0,
			      0, 1, 0, 0, 0, 19, 0xb1),
	};
	/* the same as a lookupswitch */
	const struct sketch lookup = {
		.code = BYTES(0x1a, 0xab, 0, 0, 0, 0, 0, 19, 0, 0, 0, 1, 0, 0,
			      0, 1, 0, 0, 0, 19, 0xb1),
	};
	struct method_code code;

	assert_int_equal(rewrite(&table, &code), CLASSFILE_DONE);
	EXPECT_CODE(code, ENTER, 0x1a, 0xaa, 0, 0, 0, 17, 0, 0, 0, 1, 0, 0, 0,
		    1, 0, 0, 0, 17, EXIT, 0xb1, THROWN);
	free_memory();
	assert_int_equal(rewrite(&lookup, &code), CLASSFILE_DONE);
	EXPECT_CODE(code, ENTER, 0x1a, 0xab, 0, 0, 0, 17, 0, 0, 0, 1, 0, 0, 0,
		    1, 0, 0, 0, 17, EXIT, 0xb1, THROWN);
	free_memory();
}

static void all_kinds_of_frames_move(void **state)
{
	/* nop 0..6, return 7; frames at 0 to 6 */
	const struct sketch sketch = {
		.code = BYTES(0, 0, 0, 0, 0, 0, 0xbb, 0, CLASS_A, 0xb1),
		.attributes = BYTES(0, 1, 0, NAME_FRAMES, 0, 0, 0, 32, 0, 7,
				    /* same, one on the stack, far */
				    0, 64, 1, 247, 0, 0, 7, 0, CLASS_A,
				    /* append, chop, same, far, full */
				    252, 0, 0, 1, 250, 0, 0, 251, 0, 0, 255, 0,
				    0, 0, 1, 4, 0, 1, 8, 0, 6),
	};
	struct method_code code;

	assert_int_equal(rewrite(&sketch, &code), CLASSFILE_DONE);
	EXPECT_ATTRIBUTES(code, 0, ADDED_FRAMES, 0, 0, 0, 38, 0, 8, 6, 64, 1,
			  64, 7, 0, CLASS_A, 252, 0, 0, 1, 250, 0, 0, 0, 255, 0,
			  0, 0, 1, 4, 0, 1, 8, 0, 12, 255, 0, 9, HANDLER);
	free_memory();
}

static void tables_and_handlers_move(void **state)
{
	/* 0: nop; 1: return; 2: athrow, the handler of 0..1 */
	const struct sketch sketch = {
		.code = BYTES(0, 0xb1, 0xbf),
		.exceptions = BYTES(0, 1, 0, 0, 0, 1, 0, 2, 0, CLASS_A),
		.attributes = BYTES(
			0, 4, 0, NAME_LINES, 0, 0, 0, 10, 0, 2, 0, 0, 0, 1, 0,
			1, 0, 2, 0, NAME_VARIABLES, 0, 0, 0, 22, 0, 2, 0, 0, 0,
			3, 0, 1, 0, 1, 0, 0, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0,
			NAME_OTHER, 0, 0, 0, 1, 9, 0, NAME_ANNOTATIONS, 0, 0, 0,
			24, 0, 2, 0x40, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0,
			0x44, 0, 1, 0, 0, 1, 0, 0),
	};
	struct method_code code;

	assert_int_equal(rewrite(&sketch, &code), CLASSFILE_DONE);
	EXPECT_EXCEPTIONS(code, 0, 6, 0, 7, 0, 14, 0, CLASS_A, 0, 6, 0, 15, 0,
			  15, 0, 0);
	assert_int_equal(code.attribute_count, 4);
	assert_true(input_left(&code.attributes) > 68);
	code.attributes.end = code.attributes.at + 74;
	EXPECT_ATTRIBUTES(code, 0, NAME_LINES, 0, 0, 0, 10, 0, 2, 0, 0, 0, 1, 0,
			  7, 0, 2, 0, NAME_VARIABLES, 0, 0, 0, 22, 0, 2, 0, 0,
			  0, 15, 0, 1, 0, 1, 0, 0, 0, 7, 0, 7, 0, 1, 0, 1, 0, 1,
			  0, NAME_ANNOTATIONS, 0, 0, 0, 24, 0, 2, 0x40, 0, 1, 0,
			  0, 0, 7, 0, 0, 0, 0, 1, 0, 0, 0x44, 0, 7, 0, 0, 1, 0,
			  0);
	free_memory();
}

static void wide_instructions_are_copied(void **state)
{
	const struct sketch sketch = {
		.code = BYTES(0xc4, 0x84, 0, 1, 0, 2, 0xc4, 0x15, 0, 1, 0x57,
			      0xc8, 0, 0, 0, 5, 0xb1),
	};
	struct method_code code;

	assert_int_equal(rewrite(&sketch, &code), CLASSFILE_DONE);
	EXPECT_CODE(code, ENTER, 0xc4, 0x84, 0, 1, 0, 2, 0xc4, 0x15, 0, 1, 0x57,
		    0xc8, 0, 0, 0, 5, EXIT, 0xb1, THROWN);
	free_memory();
}

/* ---- Constructors ---- */

static void a_constructor_has_two_handlers_and_none_at_super(void **state)
{
	/* aload_0; invokespecial; return */
	const struct sketch sketch = {
		.access = 1,
		.name = NAME_INIT,
		.code = BYTES(0x2a, 0xb7, 0, OBJECT_INIT, 0xb1),
	};
	struct method_code code;

	assert_int_equal(rewrite(&sketch, &code), CLASSFILE_DONE);
	EXPECT_CODE(code, ENTER, 0x2a, 0xb7, 0, OBJECT_INIT, EXIT, 0xb1, THROWN,
		    THROWN);
	EXPECT_EXCEPTIONS(code, 0, 6, 0, 7, 0, 17, 0, 0, 0, 10, 0, 17, 0, 24, 0,
			  0);
	EXPECT_ATTRIBUTES(code, 0, ADDED_FRAMES, 0, 0, 0, 23, 0, 2, 255, 0, 17,
			  0, 1, 6, 0, 1, 7, 0, ADDED_THROWABLE, 255, 0, 6,
			  HANDLER);
	free_memory();
}

static void objects_that_a_constructor_makes_are_not_its_own(void **state)
{
	/* aload_0; new; dup; invokespecial; pop; invokespecial; return */
	const struct sketch sketch = {
		.access = 1,
		.name = NAME_INIT,
		.code = BYTES(0x2a, 0xbb, 0, CLASS_OBJECT, 0xb7, 0, OBJECT_INIT,
			      0xb7, 0, OBJECT_INIT, 0xb1),
	};
	struct method_code code;

	assert_int_equal(rewrite(&sketch, &code), CLASSFILE_DONE);
	EXPECT_EXCEPTIONS(code, 0, 6, 0, 13, 0, 23, 0, 0, 0, 16, 0, 23, 0, 30,
			  0, 0);
	free_memory();
}

static void constructors_that_are_not_understood_are_left_alone(void **state)
{
	/* return, without a call of super() */
	const struct sketch without = { .access = 1,
					.name = NAME_INIT,
					.code = BYTES(0xb1) };
	/* aload_0; invokespecial; return, at which a frame says: not yet */
	const struct sketch other = {
		.access = 1,
		.name = NAME_INIT,
		.code = BYTES(0x2a, 0xb7, 0, OBJECT_INIT, 0xb1),
		.attributes = BYTES(0, 1, 0, NAME_FRAMES, 0, 0, 0, 3, 0, 1, 4),
	};
	struct method_code code;

	assert_int_equal(rewrite(&without, &code), CLASSFILE_CONSTRUCTOR);
	free_memory();
	assert_int_equal(rewrite(&other, &code), CLASSFILE_CONSTRUCTOR);
	free_memory();
}

/* ---- Refusals ---- */

static void what_is_not_chosen_is_not_changed(void **state)
{
	const struct sketch sketch = { .code = BYTES(0xb1) };
	const struct sketch abstract = { .access = 0x0401 };
	struct classfile_result result;
	struct class_output made = make(&sketch);

	chosen = -1;
	assert_int_equal(classfile_rewrite(made.data, made.used, &tracker,
					   &caller, &result),
			 CLASSFILE_DONE);
	assert_null(result.data);
	assert_int_equal(result.method_count, 0);
	chosen = 7;
	free_memory();
	asked.name.length = 0;
	made = make(&abstract);
	assert_int_equal(classfile_rewrite(made.data, made.used, &tracker,
					   &caller, &result),
			 CLASSFILE_DONE);
	assert_null(result.data);
	assert_int_equal(asked.name.length, 0);
	free_memory();
}

static void versions_are_refused_with_a_reason(void **state)
{
	struct sketch sketch = { .major = 70, .code = BYTES(0xb1) };
	struct method_code code;

	assert_int_equal(rewrite(&sketch, &code), CLASSFILE_TOO_NEW);
	free_memory();
	sketch.major = 45; /* 45.0 */
	assert_int_equal(rewrite(&sketch, &code), CLASSFILE_TOO_OLD);
	free_memory();
	sketch.major = 69;
	assert_int_equal(rewrite(&sketch, &code), CLASSFILE_DONE);
	free_memory();
}

static void subroutines_are_left_alone(void **state)
{
	const struct sketch sketch = {
		.major = 48,
		.code = BYTES(0xa8, 0, 4, 0xb1, 0x4b, 0xa9, 0),
	};
	struct method_code code;

	assert_int_equal(rewrite(&sketch, &code), CLASSFILE_SUBROUTINES);
	free_memory();
}

static void code_that_cannot_be_read_is_left_alone(void **state)
{
	const struct sketch sketches[] = {
		{ .code = BYTES(0xca) },                   /* no instruction */
		{ .code = BYTES(0xb1, 0x10) },             /* half of one */
		{ .code = BYTES(0xa7, 0, 2, 0xb1) },       /* into one */
		{ .code = BYTES(0xa7, 0xff, 0xff, 0xb1) }, /* outside */
		{ .code = BYTES(0xaa, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0,
				1, 0xb1) }, /* 9 to 1 */
		{ .code = BYTES(0xab, 0, 0, 0, 0, 0, 0, 0, 0x7f, 0xff, 0xff,
				0xff, 0xb1) },
		{ .code = BYTES(0xc4, 0xb1, 0, 0) }, /* wide return */
		{ .code = BYTES(0xb1),
		  .exceptions = BYTES(0, 1, 0, 0, 0, 2, 0, 0, 0, 0) },
		{ .code = BYTES(0xb1),
		  .attributes =
			  BYTES(0, 1, 0, NAME_FRAMES, 0, 0, 0, 3, 0, 1, 1) },
		{ .code = BYTES(0xb1),
		  .attributes =
			  BYTES(0, 1, 0, NAME_FRAMES, 0, 0, 0, 3, 0, 1, 200) },
		{ .code = BYTES(0xb1),
		  .attributes = BYTES(0, 1, 0, NAME_LINES, 0, 0, 0, 6, 0, 1, 0,
				      1, 0, 0) },
		{ .code = BYTES(0xb1),
		  .attributes =
			  BYTES(0, 1, 0, NAME_VARIABLES, 0, 0, 0, 2, 0, 1) },
		{ .code = BYTES(0xb1),
		  .attributes = BYTES(0, 1, 0, NAME_ANNOTATIONS, 0, 0, 0, 4, 0,
				      1, 0x10, 0) },
	};

	for (size_t i = 0; i < sizeof(sketches) / sizeof(sketches[0]); i++) {
		struct method_code code;

		assert_int_equal(rewrite(&sketches[i], &code),
				 CLASSFILE_CODE_MALFORMED);
		free_memory();
	}
}

static void code_that_would_be_too_large_is_left_alone(void **state)
{
	uint8_t *long_code = calloc(1, 65535);
	struct sketch sketch = { .code = long_code, .length = 65535 };
	struct method_code code;

	long_code[65534] = 0xb1;
	assert_int_equal(rewrite(&sketch, &code), CLASSFILE_TOO_LARGE);
	free_memory();
	sketch.length = 8000;
	long_code[7999] = 0xb1;
	tracker.code_limit = 8000;
	assert_int_equal(rewrite(&sketch, &code), CLASSFILE_TOO_LARGE);
	free_memory();
	tracker.code_limit = 7999; /* it is longer than that anyway */
	assert_int_equal(rewrite(&sketch, &code), CLASSFILE_DONE);
	free_memory();
	tracker.code_limit = 0;
	free(long_code);
}

static void jumps_that_would_be_too_far_are_left_alone(void **state)
{
	/* goto over returns, each of which gets six bytes longer */
	const uint32_t length = 3 + 6000;
	uint8_t *code_bytes = malloc(length);
	const struct sketch sketch = { .code = code_bytes, .length = length };
	struct method_code code;

	memset(code_bytes, 0xb1, length);
	memcpy(code_bytes, (const uint8_t[]){ 0xa7, 0x17, 0x70 }, 3);
	assert_int_equal(rewrite(&sketch, &code), CLASSFILE_FAR_JUMP);
	free_memory();
	free(code_bytes);
}

static void damaged_classes_are_refused_at_each_byte(void **state)
{
	const struct sketch sketch = {
		.name = NAME_INIT,
		.access = 1,
		.code = BYTES(0x2a, 0xb7, 0, OBJECT_INIT, 0xb1),
		.attributes = BYTES(0, 1, 0, NAME_LINES, 0, 0, 0, 6, 0, 1, 0, 0,
				    0, 1),
	};
	const struct class_output made = make(&sketch);
	const uint32_t kept = blocks;

	for (size_t bytes = 0; bytes < made.used; bytes++) {
		uint8_t *exact = malloc(bytes + 1);
		struct classfile_result result;

		memcpy(exact, made.data, bytes);
		assert_int_equal(classfile_rewrite(exact, bytes, &tracker,
						   &caller, &result),
				 CLASSFILE_MALFORMED);
		free(exact);
		while (blocks > kept)
			free(memory_left[--blocks]);
	}
	free_memory();
}

static void the_last_constant_has_room_for_all_its_numbers(void **state)
{
	static const uint8_t a_long[11] = { 0, 2, 5 };
	struct class_input input = { a_long, a_long + sizeof(a_long), 0 };
	struct class_pool pool;

	blocks_max = 64;
	assert_int_equal(pool_read(&pool, &input, &caller),
			 CLASSFILE_MALFORMED);
	free_memory();
}

static void without_memory_a_class_is_refused(void **state)
{
	const struct sketch sketch = { .name = NAME_INIT,
				       .access = 1,
				       .code = BYTES(0x2a, 0xb7, 0, OBJECT_INIT,
						     0xb1) };
	const struct class_output made = make(&sketch);
	const uint32_t kept = blocks;
	struct classfile_result result = { 0 };
	uint32_t most = kept;

	do {
		while (blocks > kept)
			free(memory_left[--blocks]);
		blocks_max = most++;
		result.data = NULL;
		classfile_rewrite(made.data, made.used, &tracker, &caller,
				  &result);
	} while (!result.data && most < kept + 32);
	assert_non_null(result.data);
	assert_true(most > kept + 4);
	free_memory();
}

static void each_refusal_has_its_text(void **state)
{
	for (unsigned int i = 0; i < CLASSFILE_REFUSALS; i++)
		assert_true(strlen(classfile_refusal_text(i)) > 0);
	assert_string_equal(classfile_refusal_text(CLASSFILE_SUBROUTINES),
			    "has subroutines (jsr, ret)");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_method_tells_of_its_entry_and_its_ends),
		cmocka_unit_test(a_large_number_is_a_constant),
		cmocka_unit_test(calls_need_no_number_and_no_third_method),
		cmocka_unit_test(what_an_entry_returns_is_kept_in_each_frame),
		cmocka_unit_test(calls_pass_by_a_gate),
		cmocka_unit_test(a_shared_exit_may_have_its_own_call),
		cmocka_unit_test(a_gate_is_kept_where_handlers_are),
		cmocka_unit_test(a_loop_to_the_beginning_has_its_frame_there),
		cmocka_unit_test(
			returns_share_an_exit_where_the_stack_is_known),
		cmocka_unit_test(what_a_handler_begins_with_may_jump),
		cmocka_unit_test(old_classes_have_no_frames),
		cmocka_unit_test(jumps_lead_behind_the_entry_and_before_exits),
		cmocka_unit_test(switches_are_padded_anew),
		cmocka_unit_test(all_kinds_of_frames_move),
		cmocka_unit_test(tables_and_handlers_move),
		cmocka_unit_test(wide_instructions_are_copied),
		cmocka_unit_test(
			a_constructor_has_two_handlers_and_none_at_super),
		cmocka_unit_test(
			objects_that_a_constructor_makes_are_not_its_own),
		cmocka_unit_test(
			constructors_that_are_not_understood_are_left_alone),
		cmocka_unit_test(what_is_not_chosen_is_not_changed),
		cmocka_unit_test(versions_are_refused_with_a_reason),
		cmocka_unit_test(subroutines_are_left_alone),
		cmocka_unit_test(code_that_cannot_be_read_is_left_alone),
		cmocka_unit_test(code_that_would_be_too_large_is_left_alone),
		cmocka_unit_test(jumps_that_would_be_too_far_are_left_alone),
		cmocka_unit_test(damaged_classes_are_refused_at_each_byte),
		cmocka_unit_test(
			the_last_constant_has_room_for_all_its_numbers),
		cmocka_unit_test(without_memory_a_class_is_refused),
		cmocka_unit_test(each_refusal_has_its_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
