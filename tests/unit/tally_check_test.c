/* SPDX-License-Identifier: MIT */
/*
 * Tests of preload/record/tally_check.c: valid tallies pass, and each error is
 * found.
 */
#include "tests/unit/unit.h"

#include <stdlib.h>
#include <string.h>

#include "preload/hot/count.h"
#include "preload/hot/runtime.h"
#include "preload/hot/sink.h"
#include "preload/hot/thread.h"
#include "preload/record/recorder.h"
#include "preload/record/tally_check.h"
#include "tests/unit/empty_part.h"
#include "wire/id.h"

static int start_part(void **state)
{
	(void)state;
	return empty_part_begin(10000);
}

static int end_part(void **state)
{
	(void)state;
	empty_part_end();
	return 0;
}

static enum violation check(void)
{
	return tally_check(hot.tally, &recorder->part, 0);
}

static uint64_t id_of(uint32_t function)
{
	return id_push(ID_ROOT, id_key(function));
}

static uint64_t id_below(uint32_t caller, uint32_t function)
{
	return id_push(id_of(caller), id_key(function));
}

/*
 * Counts the functions 1 to 50 without a caller, and another function called by
 * each.
 */
static void count_some(void)
{
	for (uint32_t f = 1; f <= 50; f++) {
		hot_count(id_of(f), ID_ROOT, 0);
		hot_count(id_below(f, 100 + f), id_of(f), 0);
	}
	assert_int_equal(check(), VIOLATION_IS_NONE);
}

static struct wire_count *entry_of(uint64_t id)
{
	struct wire_count *entry = tally_find(hot.tally, id);

	assert_int_equal(entry->id, id);
	return entry;
}

static union note *note_of(uint64_t id)
{
	return &hot.tally->notes[entry_of(id) - hot.tally->table];
}

/* Returns a context's record in the tally's own chunk. */
static struct wire_context *record_of(uint64_t id)
{
	struct wire_context *contexts = (void *)(hot.tally->wire + 1);

	while (contexts->id != id)
		contexts++;
	return contexts;
}

static void correct_tallies_are_valid(void **state)
{
	uint64_t id = ID_ROOT, caller;

	(void)state;
	for (uint32_t f = 1; f <= 10000; f++) {
		hot_count(id_of(f), ID_ROOT, 0);
		if (f % 100 == 0)
			assert_int_equal(check(), VIOLATION_IS_NONE);
	}
	for (uint32_t depth = 1; depth < 5000; depth++) {
		caller = id;
		id = id_push(caller, id_key(depth));
		hot_count(id, caller, 0);
	}
	assert_int_equal(check(), VIOLATION_IS_NONE);
	tallies_finish_thread();
	assert_int_equal(check(), VIOLATION_IS_NONE);
}

/* Tail calls have separate entries, which look as if they had no caller. */
static void tail_calls_are_valid(void **state)
{
	(void)state;
	count_some();
	for (uint32_t f = 1; f <= 50; f++) {
		hot_count(id_below(f, 1), id_of(f), WIRE_SITE_TAIL | 1);
		hot_count(id_below(f, 100 + f), id_of(f), WIRE_SITE_TAIL | 1);
	}
	assert_int_equal(check(), VIOLATION_IS_NONE);
}

static void calls_that_fold_are_valid(void **state)
{
	(void)state;
	rt.max_contexts = 20;
	for (uint32_t f = 1; f <= 50; f++) {
		hot.id = id_of(f);
		hot_count(hot.id, ID_ROOT, 0);
	}
	for (uint32_t f = 1; f <= 50; f++) {
		hot.id = id_below(f % 20 + 1, f);
		hot_count(hot.id, id_of(f % 20 + 1), 0);
	}
	assert_int_equal(check(), VIOLATION_IS_NONE);
	hot.tally->wire->folded_calls[WIRE_FOLD_SPACE]++;
	assert_int_equal(check(), VIOLATION_IS_TALLY_FOLDS);
	hot.tally->wire->folded_calls[WIRE_FOLD_SPACE]--;
	hot.tally->has_folds = 0;
	assert_int_equal(check(), VIOLATION_IS_TALLY_FOLDS);
}

static void an_unreachable_table_is_found(void **state)
{
	struct tally *tally;
	uint64_t table;

	(void)state;
	count_some();
	tally = hot.tally;
	table = tally->wire->table;
	tally->wire->table = table + 1;
	assert_int_equal(check(), VIOLATION_IS_TALLY_TABLE);
	tally->wire->table = table + (UINT64_C(1) << 20);
	assert_int_equal(check(), VIOLATION_IS_TALLY_TABLE);
	tally->wire->table = table;
	tally->mask >>= 1;
	assert_int_equal(check(), VIOLATION_IS_TALLY_TABLE);
}

static void a_full_table_is_found(void **state)
{
	(void)state;
	count_some();
	for (uint64_t i = 0; i <= hot.tally->mask; i++)
		if (!hot.tally->table[i].id)
			hot.tally->table[i].id = WIRE_COUNT_CLAIMED;
	assert_int_equal(check(), VIOLATION_IS_TALLY_FULL);
}

static void claimed_entries_are_valid_in_a_slow_path_only(void **state)
{
	(void)state;
	count_some();
	tally_find(hot.tally, id_of(77))->id = WIRE_COUNT_CLAIMED;
	hot.tally->used++;
	assert_int_equal(check(), VIOLATION_IS_TALLY_CLAIM);
	hot.tally->busy = 1;
	assert_int_equal(check(), VIOLATION_IS_NONE);
	assert_int_equal(tally_check(hot.tally, &recorder->part, 1),
			 VIOLATION_IS_TALLY_CLAIM);
}

static void an_entry_out_of_place_is_found(void **state)
{
	struct wire_count *entry, *other;
	uint64_t i;

	(void)state;
	count_some();
	entry = entry_of(id_below(5, 105));
	i = (uint64_t)(entry - hot.tally->table);
	i = (i + hot.tally->mask / 2) & hot.tally->mask;
	while (hot.tally->table[i].id)
		i = (i + 1) & hot.tally->mask;
	other = &hot.tally->table[i];
	*other = *entry;
	hot.tally->notes[i] = *note_of(id_below(5, 105));
	assert_int_equal(check(), VIOLATION_IS_TALLY_TWICE);
	hot.tally->notes[entry - hot.tally->table].word = 0;
	*entry = (struct wire_count){ 0 };
	assert_int_equal(check(), VIOLATION_IS_TALLY_LOOKUP);
}

static void a_count_of_entries_that_is_wrong_is_found(void **state)
{
	(void)state;
	count_some();
	hot.tally->used--;
	assert_int_equal(check(), VIOLATION_IS_TALLY_USED);
}

static void a_function_of_no_module_is_found(void **state)
{
	(void)state;
	count_some();
	numbered_up_to(149);
	assert_int_equal(check(), VIOLATION_IS_TALLY_FUNCTION);
}

static void an_unrecorded_caller_is_found(void **state)
{
	(void)state;
	count_some();
	hot_count(id_below(8000, 1), id_of(8000), 0);
	assert_int_equal(check(), VIOLATION_IS_TALLY_CALLER);
	hot_count(id_of(8000), ID_ROOT, 0);
	assert_int_equal(check(), VIOLATION_IS_NONE);
}

static void a_depth_that_is_not_the_caller_s_is_found(void **state)
{
	(void)state;
	count_some();
	note_of(id_below(3, 103))->depth = 3;
	assert_int_equal(check(), VIOLATION_IS_TALLY_DEPTH);
	note_of(id_below(3, 103))->depth = 2;
	note_of(id_of(3))->depth = 0;
	assert_int_equal(check(), VIOLATION_IS_TALLY_DEPTH);
}

static void a_record_that_differs_is_found(void **state)
{
	(void)state;
	count_some();
	record_of(id_of(3))->function++;
	assert_int_equal(check(), VIOLATION_IS_TALLY_RECORD);
	record_of(id_of(3))->function--;
	record_of(id_of(3))->depth++;
	assert_int_equal(check(), VIOLATION_IS_TALLY_RECORD);
	record_of(id_of(3))->depth--;
	record_of(id_of(3))->id++;
	assert_int_equal(check(), VIOLATION_IS_TALLY_RECORD);
}

static void a_record_that_is_missing_is_found(void **state)
{
	(void)state;
	count_some();
	record_of(id_of(3))->id = 0;
	assert_int_equal(check(), VIOLATION_IS_TALLY_RECORDS);
	hot.tally->wire->contexts--;
	assert_int_equal(check(), VIOLATION_IS_TALLY_RECORDS);
}

#define CLAIM(name) cmocka_unit_test_setup_teardown(name, start_part, end_part)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CLAIM(correct_tallies_are_valid),
		CLAIM(tail_calls_are_valid),
		CLAIM(calls_that_fold_are_valid),
		CLAIM(an_unreachable_table_is_found),
		CLAIM(a_full_table_is_found),
		CLAIM(claimed_entries_are_valid_in_a_slow_path_only),
		CLAIM(an_entry_out_of_place_is_found),
		CLAIM(a_count_of_entries_that_is_wrong_is_found),
		CLAIM(a_function_of_no_module_is_found),
		CLAIM(an_unrecorded_caller_is_found),
		CLAIM(a_depth_that_is_not_the_caller_s_is_found),
		CLAIM(a_record_that_differs_is_found),
		CLAIM(a_record_that_is_missing_is_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
