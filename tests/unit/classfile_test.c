/* SPDX-License-Identifier: MIT */
/*
 * Tests of classfile/: hand-written classes, the code of their methods after
 * rewriting, or the reason for a refusal. e2e/java_rewritten shows whether a
 * JVM accepts real rewritten classes.
 */
#include "tests/unit/classfile_sketch.h"

#include <stdlib.h>
#include <string.h>

/* ---- Calls ---- */

static void methods_report_their_entry_and_ends(void **state)
{
	const struct sketch sketch = { .code = BYTES(0x00, 0xb1) };
	struct method_code code;

	assert_int_equal(sketch_rewrite(&sketch, &code), CLASSFILE_DONE);
	EXPECT_CODE(code, ENTER, 0x00, EXIT, 0xb1, THROWN);
	EXPECT_EXCEPTIONS(code, 0, 6, 0, 14, 0, 14, 0, 0);
	EXPECT_ATTRIBUTES(code, 0, ADDED_FRAMES, 0, 0, 0, 12, 0, 1, 255, 0, 14,
			  HANDLER);
	assert_int_equal(code.max_stack, 3);
	assert_int_equal(code.max_locals, 3);
	assert_int_equal(sketch_asked.code_bytes, 2);
	assert_int_equal(sketch_asked.access, 8);
	assert_int_equal(sketch_asked.class_access, 0x21);
	assert_true(name_is(&sketch_asked.class_name, "A"));
	assert_true(name_is(&sketch_asked.name, "m"));
	assert_true(name_is(&sketch_asked.descriptor, "()V"));
	sketch_free();
}

static void a_large_number_is_a_constant(void **state)
{
	const struct sketch sketch = { .code = BYTES(0xb1) };
	struct method_code code;

	sketch_chosen = 32768;
	assert_int_equal(sketch_rewrite(&sketch, &code), CLASSFILE_DONE);
	EXPECT_CODE(code, 0x13, 0, ADDED_NUMBER, 0xb8, 0, ADDED_ENTER, 0x13, 0,
		    ADDED_NUMBER, 0xb8, 0, ADDED_EXIT, 0xb1, 0x13, 0,
		    ADDED_NUMBER, 0xb8, 0, ADDED_THROWN, 0xbf);
	sketch_chosen = 7;
	sketch_free();
}

static void calls_need_no_number_and_no_third_method(void **state)
{
	const struct sketch sketch = { .code = BYTES(0xb1) };
	const struct classfile_tracker with_all = sketch_tracker;
	struct method_code code;

	sketch_tracker = (struct classfile_tracker){ .class_name = "T",
						     { "in", "()V" },
						     { "out", "()V" } };
	assert_int_equal(sketch_rewrite(&sketch, &code), CLASSFILE_DONE);
	EXPECT_CODE(code, 0xb8, 0, ADDED_ENTER, 0xb8, 0, ADDED_EXIT, 0xb1, 0xb8,
		    0, ADDED_EXIT, 0xbf);
	assert_int_equal(code.max_stack, 2);
	sketch_tracker = with_all;
	sketch_free();
}

#define ADDED_CAUGHT ADDED_THROWN
#define KEPT         3 /* the first variable after those of the method */
#define LEAVE        0x16, KEPT, 0xb8, 0, ADDED_EXIT

static void number_from_entry_is_kept_in_each_frame(void **state)
{
	const struct sketch sketch = {
		.code = BYTES(0x00, 0xb1),
		.exceptions = BYTES(0, 1, 0, 0, 0, 1, 0, 1, 0, 0),
		.attributes = BYTES(0, 1, 0, NAME_FRAMES, 0, 0, 0, 6, 0, 1, 65,
				    7, 0, CLASS_A),
	};
	const struct classfile_tracker with_numbers = sketch_tracker;
	struct method_code code;

	sketch_tracker = (struct classfile_tracker){
		.class_name = "T",
		.enter = { "enter", "(I)J" },
		.exit = { "exit", "(J)V" },
		.caught = { "caught", "(JI)V" },
	};
	assert_int_equal(sketch_rewrite(&sketch, &code), CLASSFILE_DONE);
	EXPECT_CODE(code, ENTER, 0x37, KEPT, 0x00, 0x16, KEPT, 0x11, 0, 7, 0xb8,
		    0, ADDED_CAUGHT, LEAVE, 0xb1, LEAVE, 0xbf);
	/* The first entry covers exceptions thrown by the call at 9. */
	EXPECT_EXCEPTIONS(code, 0, 9, 0, 17, 0, 17, 0, 0, 0, 8, 0, 9, 0, 9, 0,
			  0, 0, 8, 0, 23, 0, 23, 0, 0);
	EXPECT_ATTRIBUTES(code, 0, ADDED_FRAMES, 0, 0, 0, 34, 0, 3, 255, 0, 9,
			  0, 4, 0, 0, 0, 4, 0, 1, 7, 0, CLASS_A, 71, 7, 0,
			  CLASS_A, 255, 0, 5, 0, 4, 0, 0, 0, 4, 0, 1, 7, 0,
			  ADDED_THROWABLE);
	assert_int_equal(code.max_stack, 4);
	assert_int_equal(code.max_locals, 5);
	sketch_tracker = with_numbers;
	sketch_free();
}

static int tells(const uint8_t *code, size_t bytes, uint32_t max_locals)
{
	return classfile_reports_begin(code, bytes, max_locals, 7);
}

/* The Flight Recorder changes methods this way. */
static void a_time_stamp_may_precede_the_report(void **state)
{
	static const uint8_t code[] = {
		184, 1, 2, 55,  6,          /* timestamp(); lstore 6 */
		17,  0, 7, 184, 1, 1, 55, 4 /* enter(7); lstore 4 */
	};
	static const uint8_t near_code[] = {
		184, 1, 2, 66, 17, 0, 7, 184, 1, 1, 55, 1, /* lstore_3 */
	};

	assert_true(tells(code, sizeof(code), 8));
	assert_false(tells(code, sizeof(code), 6));
	assert_true(tells(near_code, sizeof(near_code), 5));
	for (size_t bytes = 0; bytes < sizeof(code); bytes++)
		assert_false(tells(code, bytes, 8));
}

static void rewritten_code_is_marked(void **state)
{
	const struct sketch sketch = { .code = BYTES(0x00, 0xb1) };
	const struct classfile_tracker with_numbers = sketch_tracker;
	struct method_code code;

	sketch_tracker = (struct classfile_tracker){
		.class_name = "T",
		.enter = { "enter", "(I)J" },
		.exit = { "exit", "(J)V" },
	};
	assert_false(tells(sketch.code, sketch.length, 3));
	assert_int_equal(sketch_rewrite(&sketch, &code), CLASSFILE_DONE);
	assert_true(tells(code.bytes, code.length, code.max_locals));
	assert_false(classfile_reports_begin(code.bytes, code.length,
					     code.max_locals, 8));
	for (size_t bytes = 0; bytes < 8; bytes++)
		assert_false(tells(code.bytes, bytes, code.max_locals));
	sketch_free();
	sketch_chosen = 32768;
	assert_int_equal(sketch_rewrite(&sketch, &code), CLASSFILE_DONE);
	assert_true(classfile_reports_begin(code.bytes, code.length,
					    code.max_locals, 32768));
	assert_false(tells(code.bytes, code.length, code.max_locals));
	sketch_chosen = 7;
	sketch_tracker = with_numbers;
	sketch_free();
}

static void methods_with_many_variables_report(void **state)
{
	/* sipush 7; invokestatic 9; wide lstore 256 */
	assert_true(
		tells(BYTES(0x11, 0, 7, 0xb8, 0, 9, 0xc4, 0x37, 1, 0), 258));
	assert_false(
		tells(BYTES(0x11, 0, 7, 0xb8, 0, 9, 0xc4, 0x37, 1, 0), 259));
	/* sipush 7; invokestatic 9; lstore_3; return */
	assert_false(tells(BYTES(0x11, 0, 7, 0xb8, 0, 9, 0x42, 0xb1), 5));
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

static void calls_pass_a_gate(void **state)
{
	const struct sketch sketch = { .code = BYTES(0x00, 0xb1) };
	const struct classfile_tracker with_numbers = sketch_tracker;
	struct method_code code;

	sketch_tracker = gated;
	assert_int_equal(sketch_rewrite(&sketch, &code), CLASSFILE_DONE);
	EXPECT_CODE(code, SILENT, 0x9e, 0, 11, ENTER, 0x37, KEPT, 0x00, TEST, 0,
		    4, 0xb1, LEAVE, 0xb1, GATED_THROWN);
	EXPECT_EXCEPTIONS(code, 0, 17, 0, 26, 0, 32, 0, 0, 0, 26, 0, 32, 0, 32,
			  0, 0);
	EXPECT_ATTRIBUTES(code, 0, ADDED_FRAMES, 0, 0, 0, 38, 0, 3, 255, 0, 17,
			  GATED_LOCALS, 0, 0, 255, 0, 8, GATED_LOCALS, 0, 0,
			  255, 0, 5, GATED_LOCALS, GATED_HANDLER);
	assert_int_equal(code.max_stack, 5);
	assert_int_equal(code.max_locals, 5);
	sketch_tracker = with_numbers;
	sketch_free();
}

/*
 * The gate's value is stored in a local and passed to handlers. A return with
 * extra values on the stack does not share the exit.
 */
static void a_gate_is_kept_where_handlers_are(void **state)
{
	const struct sketch sketch = {
		.code = BYTES(0x00, 0xb1),
		.exceptions = BYTES(0, 1, 0, 0, 0, 1, 0, 1, 0, 0),
		.attributes = BYTES(0, 1, 0, NAME_FRAMES, 0, 0, 0, 6, 0, 1, 65,
				    7, 0, CLASS_A),
	};
	const struct classfile_tracker with_numbers = sketch_tracker;
	struct method_code code;

	sketch_tracker = gated;
	assert_int_equal(sketch_rewrite(&sketch, &code), CLASSFILE_DONE);
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
	sketch_tracker = with_numbers;
	sketch_free();
}

static void a_shared_exit_may_have_its_own_call(void **state)
{
	const struct sketch sketch = { .code = BYTES(0x00, 0xb1) };
	const struct classfile_tracker with_numbers = sketch_tracker;
	struct method_code code;

	sketch_tracker = gated;
	sketch_tracker.leave = (struct classfile_call){ "leave", "(J)V" };
	assert_int_equal(sketch_rewrite(&sketch, &code), CLASSFILE_DONE);
	EXPECT_CODE(code, SILENT, 0x9e, 0, 11, ENTER, 0x37, KEPT, 0x00, TEST, 0,
		    4, 0xb1, 0x16, KEPT, 0xb8, 0, ADDED_GATE + 4, 0xb1,
		    GATED_THROWN);
	sketch_tracker = with_numbers;
	sketch_free();
}

static void a_loop_to_the_beginning_has_its_frame_there(void **state)
{
	/* 0: iload_0; 1: ifeq 7; 4: goto 0; 7: return */
	const struct sketch sketch = {
		.code = BYTES(0x1a, 0x99, 0, 6, 0xa7, 0xff, 0xfc, 0xb1),
		.attributes =
			BYTES(0, 1, 0, NAME_FRAMES, 0, 0, 0, 4, 0, 2, 0, 6),
	};
	const struct classfile_tracker with_numbers = sketch_tracker;
	struct method_code code;

	sketch_tracker = gated;
	assert_int_equal(sketch_rewrite(&sketch, &code), CLASSFILE_DONE);
	EXPECT_CODE(code, SILENT, 0x9e, 0, 11, ENTER, 0x37, KEPT, 0x1a, 0x99, 0,
		    6, 0xa7, 0xff, 0xfc, TEST, 0, 4, 0xb1, LEAVE, 0xb1,
		    GATED_THROWN);
	EXPECT_ATTRIBUTES(code, 0, ADDED_FRAMES, 0, 0, 0, 49, 0, 4, 255, 0, 17,
			  GATED_LOCALS, 0, 0, 255, 0, 6, GATED_LOCALS, 0, 0,
			  255, 0, 7, GATED_LOCALS, 0, 0, 255, 0, 5,
			  GATED_LOCALS, GATED_HANDLER);
	sketch_tracker = with_numbers;
	sketch_free();
}

/*
 * Code behind an instruction that does not fall through needs a stack map
 * frame; otherwise its stack is unknown.
 */
static void returns_share_an_exit_where_the_stack_is_known(void **state)
{
	/* 0: iconst_0; 1: goto 5; 4: return; 5: pop; 6: return */
	const struct sketch sketch = {
		.code = BYTES(0x03, 0xa7, 0, 4, 0xb1, 0x57, 0xb1),
		.attributes =
			BYTES(0, 1, 0, NAME_FRAMES, 0, 0, 0, 4, 0, 1, 69, 1),
	};
	const struct classfile_tracker with_numbers = sketch_tracker;
	struct method_code code;

	sketch_tracker = gated;
	assert_int_equal(sketch_rewrite(&sketch, &code), CLASSFILE_DONE);
	EXPECT_CODE(code, SILENT, 0x9e, 0, 11, ENTER, 0x37, KEPT, 0x03, 0xa7, 0,
		    9, LEAVE, 0xb1, 0x57, TEST, 0, 4, 0xb1, LEAVE, 0xb1,
		    GATED_THROWN);
	sketch_tracker = with_numbers;
	sketch_free();
}

static void exception_handler_may_begin_with_a_jump(void **state)
{
	/* 0: nop; 1: return; 2: goto 5; 5: return */
	const struct sketch sketch = {
		.code = BYTES(0x00, 0xb1, 0xa7, 0, 3, 0xb1),
		.exceptions = BYTES(0, 1, 0, 0, 0, 1, 0, 2, 0, 0),
		.attributes = BYTES(0, 1, 0, NAME_FRAMES, 0, 0, 0, 10, 0, 2, 66,
				    7, 0, CLASS_A, 66, 7, 0, CLASS_A),
	};
	const struct classfile_tracker with_numbers = sketch_tracker;
	struct method_code code;

	sketch_tracker = gated;
	sketch_tracker.gate = NULL;
	sketch_tracker.caught.descriptor = "(JI)V";
	assert_int_equal(sketch_rewrite(&sketch, &code), CLASSFILE_DONE);
	EXPECT_CODE(code, ENTER, 0x37, KEPT, 0x00, LEAVE, 0xb1, 0x16, KEPT,
		    0x11, 0, 7, 0xb8, 0, ADDED_CAUGHT, 0xa7, 0, 3, LEAVE, 0xb1,
		    LEAVE, 0xbf);
	sketch_tracker = with_numbers;
	sketch_free();
}

static void old_classes_have_no_frames(void **state)
{
	const struct sketch sketch = { .major = 49, .code = BYTES(0xb1) };
	struct method_code code;

	assert_int_equal(sketch_rewrite(&sketch, &code), CLASSFILE_DONE);
	assert_int_equal(code.attribute_count, 0);
	assert_int_equal(input_left(&code.attributes), 0);
	sketch_free();
}

/* ---- Refusals ---- */

static void unchosen_methods_stay_unchanged(void **state)
{
	const struct sketch sketch = { .code = BYTES(0xb1) };
	const struct sketch abstract = { .access = 0x0401 };
	struct classfile_result result;
	struct class_output made = sketch_make(&sketch);

	sketch_chosen = -1;
	assert_int_equal(classfile_rewrite(made.data, made.used,
					   &sketch_tracker, &sketch_caller,
					   &result),
			 CLASSFILE_DONE);
	assert_null(result.data);
	assert_int_equal(result.method_count, 0);
	sketch_chosen = 7;
	sketch_free();
	sketch_asked.name.length = 0;
	made = sketch_make(&abstract);
	assert_int_equal(classfile_rewrite(made.data, made.used,
					   &sketch_tracker, &sketch_caller,
					   &result),
			 CLASSFILE_DONE);
	assert_null(result.data);
	assert_int_equal(sketch_asked.name.length, 0);
	sketch_free();
}

static void versions_are_refused_with_a_reason(void **state)
{
	struct sketch sketch = { .major = 70, .code = BYTES(0xb1) };
	struct method_code code;

	assert_int_equal(sketch_rewrite(&sketch, &code), CLASSFILE_TOO_NEW);
	sketch_free();
	sketch.major = 45; /* 45.0 */
	assert_int_equal(sketch_rewrite(&sketch, &code), CLASSFILE_TOO_OLD);
	sketch_free();
	sketch.major = 69;
	assert_int_equal(sketch_rewrite(&sketch, &code), CLASSFILE_DONE);
	sketch_free();
}

static void subroutines_are_left_alone(void **state)
{
	const struct sketch sketch = {
		.major = 48,
		.code = BYTES(0xa8, 0, 4, 0xb1, 0x4b, 0xa9, 0),
	};
	struct method_code code;

	assert_int_equal(sketch_rewrite(&sketch, &code), CLASSFILE_SUBROUTINES);
	sketch_free();
}

static void code_that_cannot_be_read_is_left_alone(void **state)
{
	const struct sketch sketches[] = {
		{ .code = BYTES(0xca) },       /* no instruction */
		{ .code = BYTES(0xb1, 0x10) }, /* half of an instruction */
		{ .code = BYTES(0xa7, 0, 2,
				0xb1) }, /* a jump into an instruction */
		{ .code = BYTES(0xa7, 0xff, 0xff,
				0xb1) }, /* a jump out of the code */
		{ .code = BYTES(0xaa, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0,
				1, 0xb1) }, /* a tableswitch from 9 to 1 */
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

		assert_int_equal(sketch_rewrite(&sketches[i], &code),
				 CLASSFILE_CODE_MALFORMED);
		sketch_free();
	}
}

static void code_that_would_be_too_large_is_left_alone(void **state)
{
	uint8_t *long_code = calloc(1, 65535);
	struct sketch sketch = { .code = long_code, .length = 65535 };
	struct method_code code;

	long_code[65534] = 0xb1;
	assert_int_equal(sketch_rewrite(&sketch, &code), CLASSFILE_TOO_LARGE);
	sketch_free();
	sketch.length = 8000;
	long_code[7999] = 0xb1;
	sketch_tracker.code_limit = 8000;
	assert_int_equal(sketch_rewrite(&sketch, &code), CLASSFILE_TOO_LARGE);
	sketch_free();
	sketch_tracker.code_limit =
		7999; /* the code is longer without the report */
	assert_int_equal(sketch_rewrite(&sketch, &code), CLASSFILE_DONE);
	sketch_free();
	sketch_tracker.code_limit = 0;
	free(long_code);
}

static void jumps_that_would_be_too_far_are_left_alone(void **state)
{
	/* A goto over returns, each of which becomes six bytes longer. */
	const uint32_t length = 3 + 6000;
	uint8_t *code_bytes = malloc(length);
	const struct sketch sketch = { .code = code_bytes, .length = length };
	struct method_code code;

	memset(code_bytes, 0xb1, length);
	memcpy(code_bytes, (const uint8_t[]){ 0xa7, 0x17, 0x70 }, 3);
	assert_int_equal(sketch_rewrite(&sketch, &code), CLASSFILE_FAR_JUMP);
	sketch_free();
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
	const struct class_output made = sketch_make(&sketch);
	const uint32_t kept = sketch_memory.count;

	for (size_t bytes = 0; bytes < made.used; bytes++) {
		uint8_t *exact = malloc(bytes + 1);
		struct classfile_result result;

		memcpy(exact, made.data, bytes);
		assert_int_equal(classfile_rewrite(exact, bytes,
						   &sketch_tracker,
						   &sketch_caller, &result),
				 CLASSFILE_MALFORMED);
		free(exact);
		while (sketch_memory.count > kept)
			free(sketch_memory.left[--sketch_memory.count]);
	}
	sketch_free();
}

static void the_last_constant_has_room_for_all_its_numbers(void **state)
{
	static const uint8_t a_long[11] = { 0, 2, 5 };
	struct class_input input = { a_long, a_long + sizeof(a_long), 0 };
	struct class_pool pool;

	sketch_memory.max = 64;
	assert_int_equal(pool_read(&pool, &input, &sketch_caller),
			 CLASSFILE_MALFORMED);
	sketch_free();
}

static void class_is_refused_without_memory(void **state)
{
	const struct sketch sketch = { .name = NAME_INIT,
				       .access = 1,
				       .code = BYTES(0x2a, 0xb7, 0, OBJECT_INIT,
						     0xb1) };
	const struct class_output made = sketch_make(&sketch);
	const uint32_t kept = sketch_memory.count;
	struct classfile_result result = { 0 };
	uint32_t most = kept;

	do {
		while (sketch_memory.count > kept)
			free(sketch_memory.left[--sketch_memory.count]);
		sketch_memory.max = most++;
		result.data = NULL;
		classfile_rewrite(made.data, made.used, &sketch_tracker,
				  &sketch_caller, &result);
	} while (!result.data && most < kept + 32);
	assert_non_null(result.data);
	assert_true(most > kept + 4);
	sketch_free();
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
		cmocka_unit_test(methods_report_their_entry_and_ends),
		cmocka_unit_test(a_large_number_is_a_constant),
		cmocka_unit_test(calls_need_no_number_and_no_third_method),
		cmocka_unit_test(number_from_entry_is_kept_in_each_frame),
		cmocka_unit_test(rewritten_code_is_marked),
		cmocka_unit_test(a_time_stamp_may_precede_the_report),
		cmocka_unit_test(methods_with_many_variables_report),
		cmocka_unit_test(calls_pass_a_gate),
		cmocka_unit_test(a_gate_is_kept_where_handlers_are),
		cmocka_unit_test(a_shared_exit_may_have_its_own_call),
		cmocka_unit_test(a_loop_to_the_beginning_has_its_frame_there),
		cmocka_unit_test(
			returns_share_an_exit_where_the_stack_is_known),
		cmocka_unit_test(exception_handler_may_begin_with_a_jump),
		cmocka_unit_test(old_classes_have_no_frames),
		cmocka_unit_test(unchosen_methods_stay_unchanged),
		cmocka_unit_test(versions_are_refused_with_a_reason),
		cmocka_unit_test(subroutines_are_left_alone),
		cmocka_unit_test(code_that_cannot_be_read_is_left_alone),
		cmocka_unit_test(code_that_would_be_too_large_is_left_alone),
		cmocka_unit_test(jumps_that_would_be_too_far_are_left_alone),
		cmocka_unit_test(damaged_classes_are_refused_at_each_byte),
		cmocka_unit_test(
			the_last_constant_has_room_for_all_its_numbers),
		cmocka_unit_test(class_is_refused_without_memory),
		cmocka_unit_test(each_refusal_has_its_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
