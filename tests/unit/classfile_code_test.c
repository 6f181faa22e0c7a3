/* SPDX-License-Identifier: MIT */
/*
 * Tests how classfile/ moves a method's own code, tables and exception
 * handlers.
 */
#include "tests/unit/classfile_sketch.h"

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

	assert_int_equal(sketch_rewrite(&sketch, &code), CLASSFILE_DONE);
	EXPECT_CODE(code, ENTER, 0x1a, 0x99, 0, 6, 0xa7, 0xff, 0xfc, EXIT, 0xb1,
		    THROWN);
	EXPECT_ATTRIBUTES(code, 0, ADDED_FRAMES, 0, 0, 0, 14, 0, 3, 6, 6, 255,
			  0, 6, HANDLER);
	sketch_free();
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

	assert_int_equal(sketch_rewrite(&table, &code), CLASSFILE_DONE);
	EXPECT_CODE(code, ENTER, 0x1a, 0xaa, 0, 0, 0, 17, 0, 0, 0, 1, 0, 0, 0,
		    1, 0, 0, 0, 17, EXIT, 0xb1, THROWN);
	sketch_free();
	assert_int_equal(sketch_rewrite(&lookup, &code), CLASSFILE_DONE);
	EXPECT_CODE(code, ENTER, 0x1a, 0xab, 0, 0, 0, 17, 0, 0, 0, 1, 0, 0, 0,
		    1, 0, 0, 0, 17, EXIT, 0xb1, THROWN);
	sketch_free();
}

static void all_kinds_of_frames_move(void **state)
{
	/* 0 to 5: nop; 6: new; 9: return; frames at 0 to 6 */
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

	assert_int_equal(sketch_rewrite(&sketch, &code), CLASSFILE_DONE);
	EXPECT_ATTRIBUTES(code, 0, ADDED_FRAMES, 0, 0, 0, 38, 0, 8, 6, 64, 1,
			  64, 7, 0, CLASS_A, 252, 0, 0, 1, 250, 0, 0, 0, 255, 0,
			  0, 0, 1, 4, 0, 1, 8, 0, 12, 255, 0, 9, HANDLER);
	sketch_free();
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

	assert_int_equal(sketch_rewrite(&sketch, &code), CLASSFILE_DONE);
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
	sketch_free();
}

static void wide_instructions_are_copied(void **state)
{
	const struct sketch sketch = {
		.code = BYTES(0xc4, 0x84, 0, 1, 0, 2, 0xc4, 0x15, 0, 1, 0x57,
			      0xc8, 0, 0, 0, 5, 0xb1),
	};
	struct method_code code;

	assert_int_equal(sketch_rewrite(&sketch, &code), CLASSFILE_DONE);
	EXPECT_CODE(code, ENTER, 0xc4, 0x84, 0, 1, 0, 2, 0xc4, 0x15, 0, 1, 0x57,
		    0xc8, 0, 0, 0, 5, EXIT, 0xb1, THROWN);
	sketch_free();
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

	assert_int_equal(sketch_rewrite(&sketch, &code), CLASSFILE_DONE);
	EXPECT_CODE(code, ENTER, 0x2a, 0xb7, 0, OBJECT_INIT, EXIT, 0xb1, THROWN,
		    THROWN);
	EXPECT_EXCEPTIONS(code, 0, 6, 0, 7, 0, 17, 0, 0, 0, 10, 0, 17, 0, 24, 0,
			  0);
	EXPECT_ATTRIBUTES(code, 0, ADDED_FRAMES, 0, 0, 0, 23, 0, 2, 255, 0, 17,
			  0, 1, 6, 0, 1, 7, 0, ADDED_THROWABLE, 255, 0, 6,
			  HANDLER);
	sketch_free();
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

	assert_int_equal(sketch_rewrite(&sketch, &code), CLASSFILE_DONE);
	EXPECT_EXCEPTIONS(code, 0, 6, 0, 13, 0, 23, 0, 0, 0, 16, 0, 23, 0, 30,
			  0, 0);
	sketch_free();
}

static void constructors_that_are_not_understood_are_left_alone(void **state)
{
	/* return, without a call of super() */
	const struct sketch without = { .access = 1,
					.name = NAME_INIT,
					.code = BYTES(0xb1) };
	/*
	 * aload_0; invokespecial; return, where a frame says that super() was
	 * not called
	 */
	const struct sketch other = {
		.access = 1,
		.name = NAME_INIT,
		.code = BYTES(0x2a, 0xb7, 0, OBJECT_INIT, 0xb1),
		.attributes = BYTES(0, 1, 0, NAME_FRAMES, 0, 0, 0, 3, 0, 1, 4),
	};
	struct method_code code;

	assert_int_equal(sketch_rewrite(&without, &code),
			 CLASSFILE_CONSTRUCTOR);
	sketch_free();
	assert_int_equal(sketch_rewrite(&other, &code), CLASSFILE_CONSTRUCTOR);
	sketch_free();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
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
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
