/* SPDX-License-Identifier: MIT */
/* Tests of preload/hot/tails.c: the contexts that were reached by a jump. */
#include "tests/unit/unit.h"

#include "preload/hot/runtime.h"
#include "preload/hot/tails.h"
#include "preload/hot/thread.h"
#include "tests/unit/empty_tally.h"
#include "wire/counts.h"
#include "wire/id.h"

enum { MANY = 10000 };

static uint64_t id_of(uint32_t i)
{
	return id_push(ID_ROOT, i + 1);
}

static void a_context_without_room_is_known_by_the_threads_tally(void **state)
{
	uint32_t kept = 0;

	rt.is_filtered = 1; /* no memory for another level may be mapped */
	for (uint32_t i = 0; i < MANY; i++) {
		tails_move(id_of(i), i + 1);
		kept += tails_function(id_of(i)) == i + 1;
	}
	assert_in_range(kept, 1, MANY / 2);

	empty_tally(state);
	table[wire_tail_id(id_of(MANY)) >> 4 & tally.mask].id =
		wire_tail_id(id_of(MANY));
	hot.tally = &tally;
	for (uint32_t i = 0; i < TALLY_ENTRIES; i++)
		notes[i].function = table[i].id ? 7 : 0;
	assert_int_equal(tails_function(id_of(MANY)), 7);
	assert_int_equal(tails_function(id_of(MANY + 1)), 0);
	hot.tally = NULL;
	assert_int_equal(tails_function(id_of(MANY)), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			a_context_without_room_is_known_by_the_threads_tally),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
