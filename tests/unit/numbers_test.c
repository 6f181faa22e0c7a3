/* SPDX-License-Identifier: MIT */
/* Tests of preload/record/numbers.c and function_names.c. */
#include "tests/unit/unit.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "preload/record/function_names.h"
#include "preload/record/numbers.h"
#include "preload/record/part_check.h"
#include "preload/record/recorder.h"

/* The number of available blocks: all but the first and the last. */
#define BLOCKS (NUMBER_BLOCKS - 2)

static int begin(void **state)
{
	(void)state;
	memset(number_blocks, 0, sizeof(number_blocks));
	return 0;
}

/*
 * Takes a range of `count` numbers and uses all of them. Returns NULL if no
 * range is free.
 */
static struct number_range *take(uint32_t count, uint32_t preferred)
{
	struct number_range *range = calloc(1, sizeof(*range));

	range->count = count;
	if (numbers_take(range, preferred))
		return NULL;
	range->used = count;
	return range;
}

static void a_number_is_found_in_its_range_only(void **state)
{
	const struct number_range *one = take(5000, 7), *two = take(1, 9);

	(void)state;
	assert_int_equal(one->first, 7 * NUMBER_BLOCK);
	assert_int_equal(two->first, 9 * NUMBER_BLOCK);
	assert_null(numbers_find(one->first - 1));
	assert_ptr_equal(numbers_find(one->first), one);
	assert_ptr_equal(numbers_find(one->first + 4999), one);
	assert_null(numbers_find(one->first + 5000));
	assert_ptr_equal(numbers_find(two->first), two);
	assert_null(numbers_find(two->first + 1));
	assert_null(numbers_find(0));
	assert_null(numbers_find(WIRE_FOLDED));
}

static void numbers_that_are_not_used_yet_are_not_found(void **state)
{
	static struct number_range range = { .count = 10 };

	(void)state;
	assert_int_equal(numbers_take(&range, 1), 0);
	assert_null(numbers_find(range.first));
	range.used = 3;
	assert_ptr_equal(numbers_find(range.first + 2), &range);
	assert_null(numbers_find(range.first + 3));
}

static void a_module_has_its_record_with_its_numbers(void **state)
{
	const struct number_range *one = take(5000, 7), *two = take(1, 9);
	struct wire_module records[2];

	(void)state;
	numbers_set_module(one->first, &records[0]);
	numbers_set_module(two->first, &records[1]);
	assert_ptr_equal(one->module, &records[0]);
	assert_ptr_equal(two->module, &records[1]);
	numbers_set_module(one->first, NULL);
	assert_null(one->module);
	/* no range begins at this number */
	numbers_set_module(two->first + 1, &records[0]);
	numbers_set_module(one->first + NUMBER_BLOCK, &records[0]);
	numbers_set_module(12 * NUMBER_BLOCK, &records[0]);
	numbers_set_module(0, &records[0]);
	assert_null(one->module);
	assert_ptr_equal(two->module, &records[1]);
}

static void taken_preferred_numbers_give_the_next_gap(void **state)
{
	const struct number_range *one = take(2 * NUMBER_BLOCK, 100);
	const struct number_range *two = take(NUMBER_BLOCK + 1, 99);
	const struct number_range *three = take(1, 99);

	(void)state;
	assert_int_equal(one->first, 100 * NUMBER_BLOCK);
	assert_int_equal(two->first, 102 * NUMBER_BLOCK);
	assert_int_equal(three->first, 99 * NUMBER_BLOCK);
	assert_ptr_equal(numbers_find(one->first), one);
}

static void search_for_numbers_wraps_to_the_first_block(void **state)
{
	const struct number_range *one = take(2 * NUMBER_BLOCK, BLOCKS);
	const struct number_range *last = take(1, BLOCKS);

	(void)state;
	assert_int_equal(one->first, NUMBER_BLOCK);
	assert_int_equal(last->first, BLOCKS * NUMBER_BLOCK);
	assert_int_equal(take(1, NUMBER_BLOCKS - 1)->first, 3 * NUMBER_BLOCK);
	assert_int_equal(take(1, 0)->first, 4 * NUMBER_BLOCK);
}

static void no_numbers_are_left_when_all_are_taken(void **state)
{
	(void)state;
	assert_null(take(UINT32_MAX, 5));
	assert_non_null(take(BLOCKS * NUMBER_BLOCK, 5));
	assert_null(take(1, 5));
	assert_int_equal(numbers_modules(), 1);
}

static void too_small_a_gap_stays_unchanged(void **state)
{
	(void)state;
	take((BLOCKS - 3) * NUMBER_BLOCK, 1);
	take(1, BLOCKS - 1);
	assert_null(take(2 * NUMBER_BLOCK, 1));
	assert_non_null(take(1, 1));
	assert_non_null(take(1, 1));
	assert_null(take(1, 1));
}

static void the_same_identity_prefers_the_same_block(void **state)
{
	const uint8_t id[20] = { 1, 2, 3 };
	uint32_t alike = 0;

	(void)state;
	assert_int_equal(numbers_preferred(id, 20), numbers_preferred(id, 20));
	for (uint8_t i = 0; i < 200; i++) {
		const uint8_t other[20] = { 1, 2, 3, [19] = (uint8_t)(i + 1) };

		alike += numbers_preferred(other, 20) ==
			 numbers_preferred(id, 20);
		assert_true(numbers_preferred(other, 20) < NUMBER_BLOCKS);
	}
	assert_int_equal(alike, 0);
}

#define THREADS 4
#define EACH    2000

/*
 * Takes EACH ranges of numbers. Threads that run this function all prefer the
 * same numbers.
 */
static void *take_many(void *taken)
{
	struct number_range **ranges = taken;

	for (uint32_t i = 0; i < EACH; i++)
		ranges[i] = take(1 + i % 3 * NUMBER_BLOCK, 1000);
	return NULL;
}

static void threads_get_numbers_of_their_own(void **state)
{
	static struct number_range *ranges[THREADS][EACH];
	pthread_t threads[THREADS];

	(void)state;
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, take_many, ranges[i]);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < THREADS; i++)
		for (uint32_t j = 0; j < EACH; j++) {
			const struct number_range *range = ranges[i][j];

			assert_non_null(range);
			assert_ptr_equal(numbers_find(range->first), range);
			assert_ptr_equal(
				numbers_find(range->first + range->count - 1),
				range);
		}
	assert_int_equal(numbers_modules(), THREADS * EACH);
}

/* ---- Names ---- */

static struct recorder *recorder;

static int begin_names(void **state)
{
	recorder = calloc(1, sizeof(*recorder));
	return part_create(&recorder->part, NULL) || begin(state);
}

static int end_names(void **state)
{
	(void)state;
	part_discard(&recorder->part);
	free(recorder);
	return 0;
}

static uint32_t name(enum wire_range_kind kind, const char *text)
{
	return function_names_add(&recorder->names, &recorder->part, kind, text,
				  strlen(text));
}

/* Finds a number's name in a part, and counts the names in the part. */
struct called {
	uint32_t number;
	char text[WIRE_NAME_BYTES_MAX + 1];
	uint32_t names; /* number of names in the part */
};

static int look_for(void *context, const struct chunk *chunk)
{
	struct called *called = context;
	const unsigned char *at = chunk_payload(chunk);
	const unsigned char *end = at + chunk->head->used;

	while (at < end) {
		const struct wire_name *record = (const void *)at;

		called->names++;
		if (record->head.number == called->number) {
			const size_t bytes =
				record->head.bytes - sizeof(*record);

			memcpy(called->text, record + 1, bytes);
			called->text[bytes] = '\0';
		}
		at += (record->head.bytes + 7) / 8 * 8;
	}
	return 0;
}

static struct called called_in(const struct part *part, uint32_t number)
{
	struct called called = { .number = number };

	part_each_chunk(part, WIRE_NAMES, look_for, &called);
	return called;
}

static int count_bytes(void *bytes, const struct chunk *chunk)
{
	*(uint64_t *)bytes += chunk->head->used;
	return 0;
}

static uint64_t bytes_of(const struct part *part, enum wire_chunk_kind kind)
{
	uint64_t bytes = 0;

	part_each_chunk(part, kind, count_bytes, &bytes);
	return bytes;
}

static int count_range(void *context, const struct chunk *chunk)
{
	const struct wire_range *range = chunk_payload(chunk);
	uint32_t *counts = context;

	assert_int_equal(chunk->head->used, sizeof(*range));
	counts[range->kind]++;
	return 0;
}

static void a_name_is_recorded_under_its_number(void **state)
{
	const uint32_t one = name(WIRE_RANGE_JAVA, "a.B.c()");
	const uint32_t two = name(WIRE_RANGE_GENERATED, "loop");
	const uint32_t three = name(WIRE_RANGE_JAVA, "");
	uint32_t counts[WIRE_RANGE_KIND_COUNT] = { 0 };

	(void)state;
	assert_int_equal(numbers_find(one)->kind, WIRE_RANGE_JAVA);
	assert_int_equal(numbers_find(two)->kind, WIRE_RANGE_GENERATED);
	assert_int_equal(three, one + 1);
	assert_string_equal(called_in(&recorder->part, one).text, "a.B.c()");
	assert_string_equal(called_in(&recorder->part, two).text, "loop");
	assert_int_equal(called_in(&recorder->part, three).names, 3);
	part_each_chunk(&recorder->part, WIRE_RANGES, count_range, counts);
	assert_int_equal(counts[WIRE_RANGE_JAVA], 1);
	assert_int_equal(counts[WIRE_RANGE_GENERATED], 1);
}

static void a_stack_has_its_innermost_method(void **state)
{
	const uint32_t method = name(WIRE_RANGE_JAVA, "a.B.c()");
	const uint32_t methods[] = { WIRE_STACK_CUT, 7, method };
	const uint16_t calls[] = { WIRE_BYTECODE_NONE, 1, 2 };
	uint32_t stack = 0;

	(void)state;
	for (uint32_t i = 0; i < 3; i++)
		stack = function_names_add_stack(&recorder->names,
						 &recorder->part, methods,
						 calls, 3 - (i == 1));
	assert_int_equal(numbers_java_method(method), method);
	assert_int_equal(numbers_java_method(stack), method);
	assert_int_equal(numbers_java_method(stack - 1), 7);
	assert_int_equal(numbers_java_method(stack + 1), 0);
	assert_int_equal(
		numbers_java_method(name(WIRE_RANGE_GENERATED, "loop")), 0);
}

static void names_have_no_limit(void **state)
{
	char text[WIRE_NAME_BYTES_MAX + 100];
	uint32_t counts[WIRE_RANGE_KIND_COUNT] = { 0 };
	uint32_t last = 0;

	(void)state;
	memset(text, 'x', sizeof(text));
	for (uint32_t i = 0; i <= NUMBER_BLOCK; i++) {
		last = function_names_add(&recorder->names, &recorder->part,
					  WIRE_RANGE_JAVA, text,
					  i % sizeof(text));
		assert_int_not_equal(last, 0);
	}
	part_each_chunk(&recorder->part, WIRE_RANGES, count_range, counts);
	assert_int_equal(counts[WIRE_RANGE_JAVA], 2);
	last = function_names_add(&recorder->names, &recorder->part,
				  WIRE_RANGE_JAVA, text, sizeof(text));
	assert_int_equal(strlen(called_in(&recorder->part, last).text),
			 WIRE_NAME_BYTES_MAX);
	assert_int_equal(called_in(&recorder->part, last).names,
			 NUMBER_BLOCK + 2);
	assert_true(part_is_valid(&recorder->part));
}

static void no_names_are_recorded_without_a_part(void **state)
{
	(void)state;
	part_discard(&recorder->part);
	part_create_nowhere(&recorder->part);
	assert_int_equal(name(WIRE_RANGE_JAVA, "a.B.c()"), 0);
	assert_int_equal(part_create(&recorder->part, NULL), 0);
}

static void texts_of_a_method_are_cut_to_their_maximum(void **state)
{
	static char text[WIRE_METHOD_BYTES_MAX];
	const struct name_text texts[] = {
		{ text, 5 },
		{ text, sizeof(text) },
		{ text, 7 },
	};

	(void)state;
	assert_int_not_equal(function_names_add_method(
				     &recorder->names, &recorder->part,
				     WIRE_RANGE_JAVA, texts, WIRE_JAVA_COUNTS),
			     0);
	assert_int_equal(bytes_of(&recorder->part, WIRE_METHODS),
			 sizeof(struct wire_method) + WIRE_METHOD_BYTES_MAX);
	assert_true(part_is_valid(&recorder->part));
}

static void sources_above_the_maximum_are_dropped(void **state)
{
	static const struct wire_line
		lines[WIRE_SOURCE_BYTES_MAX / sizeof(struct wire_line)];
	const struct name_text path[] = { { "a/", 2 }, { "B.java", 6 } };
	const size_t most = (WIRE_SOURCE_BYTES_MAX - 9) / sizeof(*lines);

	(void)state;
	function_names_add_source(&recorder->names, &recorder->part, 1, path,
				  lines, most + 1);
	assert_int_equal(bytes_of(&recorder->part, WIRE_SOURCES), 0);
	function_names_add_source(&recorder->names, &recorder->part, 1, path,
				  lines, most);
	assert_true(bytes_of(&recorder->part, WIRE_SOURCES) >
		    most * sizeof(*lines));
}

/* The child does not have names that the parent has added since the fork. */
static void a_forked_child_has_the_names_of_its_parent(void **state)
{
	const uint32_t one = name(WIRE_RANGE_JAVA, "one");
	const uint16_t no_call = WIRE_BYTECODE_NONE;
	struct recorder child;
	uint32_t two, other;

	(void)state;
	function_names_add_stack(&recorder->names, &recorder->part, &one,
				 &no_call, 1);
	function_names_add_caller(&recorder->names, &recorder->part, 7, 8);
	child = *recorder;
	memset(&child.part, 0, sizeof(child.part));
	assert_int_equal(part_create(&child.part, NULL), 0);
	two = name(WIRE_RANGE_JAVA, "two");
	/* as in the memory of a child, which is a copy */
	((struct number_range *)numbers_find(one))->used--;
	assert_int_equal(function_names_after_fork(&child.names, &child.part,
						   &recorder->part),
			 0);
	assert_string_equal(called_in(&child.part, one).text, "one");
	assert_int_equal(called_in(&child.part, one).names, 1);
	assert_int_equal(bytes_of(&child.part, WIRE_STACKS),
			 bytes_of(&recorder->part, WIRE_STACKS));
	assert_int_equal(bytes_of(&child.part, WIRE_CALLERS),
			 sizeof(struct wire_caller));
	other = function_names_add(&child.names, &child.part, WIRE_RANGE_JAVA,
				   "other", 5);
	assert_int_equal(other, two);
	assert_string_equal(called_in(&child.part, two).text, "other");
	assert_string_equal(called_in(&recorder->part, two).text, "two");
	part_discard(&child.part);
}

#define CLAIM(name) cmocka_unit_test_setup(name, begin)
#define CLAIM_OF_NAMES(name)                                                   \
	cmocka_unit_test_setup_teardown(name, begin_names, end_names)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CLAIM(a_number_is_found_in_its_range_only),
		CLAIM(numbers_that_are_not_used_yet_are_not_found),
		CLAIM(a_module_has_its_record_with_its_numbers),
		CLAIM(taken_preferred_numbers_give_the_next_gap),
		CLAIM(search_for_numbers_wraps_to_the_first_block),
		CLAIM(no_numbers_are_left_when_all_are_taken),
		CLAIM(too_small_a_gap_stays_unchanged),
		CLAIM(the_same_identity_prefers_the_same_block),
		CLAIM(threads_get_numbers_of_their_own),
		CLAIM_OF_NAMES(a_name_is_recorded_under_its_number),
		CLAIM_OF_NAMES(a_stack_has_its_innermost_method),
		CLAIM_OF_NAMES(texts_of_a_method_are_cut_to_their_maximum),
		CLAIM_OF_NAMES(sources_above_the_maximum_are_dropped),
		CLAIM_OF_NAMES(names_have_no_limit),
		CLAIM_OF_NAMES(no_names_are_recorded_without_a_part),
		CLAIM_OF_NAMES(a_forked_child_has_the_names_of_its_parent),
	};

	return cmocka_run_group_tests_name("numbers", tests, NULL, NULL);
}
