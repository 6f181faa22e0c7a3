/* SPDX-License-Identifier: MIT */
/* Tests that preload/hot/recent_notes.h agrees with the count table. */
#include "tests/unit/unit.h"

#include <string.h>

#include "preload/hot/recent_notes.h"
#include "tests/unit/empty_tally.h"

/* Returns ids of a given slot: bits from 32 on select the slot. */
static uint64_t id_of(uint32_t place, uint32_t number)
{
	return (uint64_t)place << 32 | (uint64_t)number << 4;
}

static union note note_by(uint32_t number)
{
	return (union note){ .function = number, .depth = number + 1 };
}

static void record(uint64_t id, union note note)
{
	struct wire_count *entry = tally_find(&tally, id);

	notes[entry - table] = note;
	entry->id = id;
}

static void assert_note(uint64_t id, union note note)
{
	assert_int_equal(recent_note_of(&tally, id).word, note.word);
}

static void an_unrecorded_context_has_no_note(void **state)
{
	(void)state;
	assert_note(0, (union note){ .word = 0 });
	assert_note(id_of(0, 1), (union note){ .word = 0 });
	record(id_of(0, 1), note_by(1));
	assert_note(id_of(0, 1), note_by(1));
	assert_note(id_of(0, 2), (union note){ .word = 0 });
	assert_note(id_of(HOT_RECENT, 1), (union note){ .word = 0 });
}

static void a_note_is_found_without_the_table(void **state)
{
	(void)state;
	record(id_of(3, 1), note_by(1));
	assert_note(id_of(3, 1), note_by(1));
	memset(table, 0, sizeof(table));
	assert_note(id_of(3, 1), note_by(1));
	recent_note_keep(&tally, id_of(4, 2), note_by(2));
	assert_note(id_of(4, 2), note_by(2));
}

static void notes_of_one_call_site_do_not_hide_each_other(void **state)
{
	(void)state;
	for (uint32_t i = 1; i < 100; i++)
		record(id_of(5 + i % 3 * HOT_RECENT, i), note_by(i));
	for (int round = 0; round < 3; round++)
		for (uint32_t i = 1; i < 100; i++)
			assert_note(id_of(5 + i % 3 * HOT_RECENT, i),
				    note_by(i));
}

/*
 * A handler has interrupted the store of one note's two words and has stored
 * another note.
 */
static void words_of_two_notes_are_no_note(void **state)
{
	const uint64_t one = id_of(7, 1), other = id_of(7, 2);
	struct recent_note *place = recent_note_place(&tally, one);
	struct recent_note kept;

	(void)state;
	record(one, note_by(1));
	record(other, note_by(2));
	recent_note_keep(&tally, one, note_by(1));
	kept = *place;
	recent_note_keep(&tally, other, note_by(2));
	place->word = kept.word;
	assert_note(one, note_by(1));
	recent_note_keep(&tally, other, note_by(2));
	place->word = kept.word;
	assert_note(other, note_by(2));
	recent_note_keep(&tally, other, note_by(2));
	place->mixed = kept.mixed;
	assert_note(one, note_by(1));
	recent_note_keep(&tally, other, note_by(2));
	place->mixed = kept.mixed;
	assert_note(other, note_by(2));
}

#define CLAIM(name) cmocka_unit_test_setup(name, empty_tally)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CLAIM(an_unrecorded_context_has_no_note),
		CLAIM(a_note_is_found_without_the_table),
		CLAIM(notes_of_one_call_site_do_not_hide_each_other),
		CLAIM(words_of_two_notes_are_no_note),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
