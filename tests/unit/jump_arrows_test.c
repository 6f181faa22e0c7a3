/* SPDX-License-Identifier: MIT */
/*
 * Tests of the arrows between jumps and destinations
 * (report/code/jump_arrows.h).
 */
#include "unit.h"

#include <stdlib.h>

#include "report/code/jump_arrows.h"

enum { ROWS = 12, ROW_BYTES = 2 };

/*
 * Returns ROWS instructions of which some jump; `to` has the row of the
 * destination, or a negative number.
 */
static struct instructions code_of(struct instruction *items, const int *to)
{
	for (int i = 0; i < ROWS; i++)
		items[i] = (struct instruction){
			.vaddr = (uint64_t)i * ROW_BYTES,
			.target = to[i] < 0 ? NO_TARGET
					    : (uint64_t)to[i] * ROW_BYTES,
			.bytes = ROW_BYTES,
			.kind = to[i] < 0 ? INSTRUCTION_PLAIN
					  : INSTRUCTION_JUMP,
		};
	return (struct instructions){ .items = items, .count = ROWS };
}

/* Compares the drawing with one text for each row, the outermost lane first. */
static void assert_drawn(const int *to, const char *const *rows)
{
	static const char cells[] = {
		[CELL_EMPTY] = ' ',  [CELL_LINE] = '|',    [CELL_TOP] = '/',
		[CELL_MIDDLE] = '+', [CELL_BOTTOM] = '\\', [CELL_DASH] = '-',
		[CELL_CROSS] = '*'
	};
	struct instruction items[ROWS];
	const struct instructions code = code_of(items, to);
	struct jump_arrows arrows;

	jump_arrows_init(&arrows, &code);
	for (int i = 0; i < ROWS; i++) {
		char text[ARROW_LANES + 2] = "";
		unsigned int length = 0;

		for (unsigned int lane = arrows.lanes; lane-- > 0;)
			text[length++] = cells[arrows.rows[i].cells[lane]];
		text[length] = arrows.rows[i].is_destination ? '>' : '\0';
		assert_string_equal(text, rows[i]);
	}
	jump_arrows_fini(&arrows);
}

static void a_short_jump_is_inside_of_a_longer_one(void **state)
{
	static const int to[ROWS] = { 7,  -1, 5,  -1, -1, -1,
				      -1, -1, -1, -1, -1, -1 };
	static const char *const rows[ROWS] = { "/-", "| ",   "|/", "||",
						"||", "|\\>", "| ", "\\->",
						"  ", "  ",   "  ", "  " };

	(void)state;
	assert_drawn(to, rows);
}

static void jumps_to_one_destination_share_a_line(void **state)
{
	static const int to[ROWS] = { -1, 6,  -1, 6,  -1, -1,
				      -1, -1, 6,  -1, -1, -1 };
	static const char *const rows[ROWS] = {
		" ", "/", "|", "+", "|", "|", "+>", "|", "\\", " ", " ", " "
	};

	(void)state;
	assert_drawn(to, rows);
}

static void jumps_that_cross_have_two_lanes(void **state)
{
	static const int to[ROWS] = { 4,  -1, 8,  -1, -1, -1,
				      -1, -1, -1, -1, -1, -1 };
	static const char *const rows[ROWS] = { " /",   " |", "/*", "||",
						"|\\>", "| ", "| ", "| ",
						"\\->", "  ", "  ", "  " };

	(void)state;
	assert_drawn(to, rows);
}

static void a_jump_into_an_instruction_is_not_drawn(void **state)
{
	struct instruction items[ROWS];
	int to[ROWS] = { 3, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1 };
	struct instructions code = code_of(items, to);
	struct jump_arrows arrows;

	(void)state;
	items[0].target++;
	jump_arrows_init(&arrows, &code);
	assert_int_equal(arrows.lanes, 0);
	jump_arrows_fini(&arrows);
}

static void a_jump_to_itself_is_a_destination(void **state)
{
	static const int to[ROWS] = { -1, 1,  -1, -1, -1, -1,
				      -1, -1, -1, -1, -1, -1 };
	static const char *const rows[ROWS] = { " ", "/>", " ", " ", " ", " ",
						" ", " ",  " ", " ", " ", " " };

	(void)state;
	assert_drawn(to, rows);
}

/* More jumps than lanes that all cross each other: the longest are left out. */
static void jumps_without_a_free_lane_are_not_drawn(void **state)
{
	enum { JUMPS = ARROW_LANES + 4, COUNT = 2 * JUMPS };
	struct instruction items[COUNT] = { { 0 } };
	const struct instructions code = { .items = items, .count = COUNT };
	struct jump_arrows arrows;
	int destinations = 0;

	(void)state;
	for (int i = 0; i < COUNT; i++)
		items[i] = (struct instruction){
			.vaddr = (uint64_t)i,
			.target = i < JUMPS ? (uint64_t)(COUNT - 1 - i)
					    : NO_TARGET,
			.bytes = 1,
			.kind = i < JUMPS ? INSTRUCTION_JUMP
					  : INSTRUCTION_PLAIN,
		};
	jump_arrows_init(&arrows, &code);
	assert_int_equal(arrows.lanes, ARROW_LANES);
	for (int i = 0; i < COUNT; i++)
		destinations += arrows.rows[i].is_destination;
	assert_int_equal(destinations, ARROW_LANES);
	assert_false(arrows.rows[COUNT - 1].is_destination);
	jump_arrows_fini(&arrows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_short_jump_is_inside_of_a_longer_one),
		cmocka_unit_test(jumps_to_one_destination_share_a_line),
		cmocka_unit_test(jumps_that_cross_have_two_lanes),
		cmocka_unit_test(a_jump_into_an_instruction_is_not_drawn),
		cmocka_unit_test(a_jump_to_itself_is_a_destination),
		cmocka_unit_test(jumps_without_a_free_lane_are_not_drawn),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
