/* SPDX-License-Identifier: MIT */
/*
 * Tests of preload/hot/count.c, tables.c and tallies.c. The test counts what
 * stubs would count, in a part without a file.
 */
#include "tests/unit/unit.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "preload/hot/count.h"
#include "preload/hot/runtime.h"
#include "preload/hot/sink.h"
#include "preload/hot/switch.h"
#include "preload/hot/tally.h"
#include "preload/hot/thread.h"
#include "preload/hot/upcalls.h"
#include "preload/record/recorder.h"
#include "preload/record/tables.h"
#include "preload/record/tally_check.h"
#include "tests/unit/empty_part.h"
#include "wire/id.h"

static int start_part(void **state)
{
	(void)state;
	return empty_part_begin(10000000);
}

/* Checks that the test left a valid tally (hot/tally.h), as far as possible. */
static int end_part(void **state)
{
	(void)state;
	if (CLEW_STRESS && hot.tally &&
	    tally_check(hot.tally, &recorder->part, 0) != VIOLATION_IS_NONE)
		return -1;
	if (rt.header->violations)
		return -1;
	empty_part_end();
	return 0;
}

static uint64_t id_of(uint32_t function)
{
	return id_push(ID_ROOT, id_key(function));
}

static uint64_t calls_in(const struct mapping *mapping, uint64_t id)
{
	uint64_t calls = 0;

	for (uint64_t i = 0; mapping->table && i < 1ul << mapping->log2; i++)
		if (mapping->table[i].id == id)
			calls += wire_calls(&mapping->table[i]);
	return calls;
}

/*
 * Returns the calls that a reader finds in the table and in the previous one.
 */
static uint64_t calls_of(uint64_t id)
{
	return calls_in(&hot.tally->memory.active, id) +
	       calls_in(&hot.tally->memory.retired, id);
}

/*
 * Returns the number of admitted contexts that were recorded, as a reader
 * computes it.
 */
static uint64_t admitted_and_recorded(void)
{
	const struct wire_chunk *chunk =
		(const struct wire_chunk *)hot.tally->wire - 1;

	assert_true(chunk->admitted < 64);
	return rt.header->contexts - chunk->admitted;
}

static void every_call_of_every_context_is_counted(void **state)
{
	const uint32_t functions = 20000;

	(void)state;
	for (uint32_t round = 0; round < 3; round++)
		for (uint32_t f = 1; f <= functions; f++)
			for (uint32_t n = 0; n < 1 + f % 3; n++)
				hot_count(id_of(f), ID_ROOT, 0x1000);
	for (uint32_t f = 1; f <= functions; f += 7)
		assert_int_equal(calls_of(id_of(f)), 3 * (1 + f % 3));
	assert_int_equal(admitted_and_recorded(), functions);
	assert_int_equal(hot.tally->wire->contexts, functions);
}

static void contexts_are_recorded_up_to_the_limit(void **state)
{
	const uint32_t functions = 2000, most = 1000;

	(void)state;
	rt.max_contexts = most;
	for (uint32_t f = 1; f <= functions; f++)
		hot_count(id_of(f), ID_ROOT, 0x1000);
	for (uint32_t f = 1; f <= functions; f++)
		assert_int_equal(calls_of(id_of(f)), f <= most);
	/*
	 * and the "(folded)" context below the root, in which the other calls
	 * count
	 */
	assert_int_equal(admitted_and_recorded(), most + 1);
	assert_int_equal(calls_of(id_of(WIRE_FOLDED)), functions - most);
}

/*
 * Returns whether stubs use the table of the tally, as they do while the thread
 * is on.
 */
static int is_seen_on(void)
{
	return hot.table == hot.tally->table;
}

static void any_reason_keeps_a_thread_switched_off(void **state)
{
	uint32_t outer, inner;

	(void)state;
	hot_count(id_of(1), ID_ROOT, 0x1000);
	assert_true(switch_is_on() && is_seen_on());
	outer = switch_mute(HOT_MUTED_OWN);
	switch_doubt(2);
	inner = switch_mute(HOT_MUTED_FORK);
	switch_unmute(inner);
	switch_doubt_less();
	assert_false(switch_is_on() || is_seen_on());
	switch_doubt_less();
	assert_false(switch_is_on() || is_seen_on());
	switch_unmute(outer);
	assert_true(switch_is_on() && is_seen_on());
	switch_doubt(1);
	assert_false(switch_is_on() || is_seen_on());
	switch_trust();
	assert_true(switch_is_on() && is_seen_on());
	switch_detach();
	assert_false(switch_is_on());
	assert_ptr_equal(hot.table, hot_blank_table());
}

/*
 * A table that a thread gets while it is off is used when the thread is on
 * again.
 */
static void a_table_that_grows_switches_nothing_on(void **state)
{
	(void)state;
	hot_count(id_of(1), ID_ROOT, 0x1000);
	switch_doubt(1);
	for (uint32_t f = 2; f < 1000; f++)
		hot_count(id_of(f), ID_ROOT, 0x1000);
	assert_ptr_equal(hot.table, hot_blank_table());
	assert_true(hot.tally->mask > hot.mask / sizeof(struct wire_count));
	switch_trust();
	assert_true(is_seen_on());
	assert_int_equal(hot.mask, hot.tally->mask * sizeof(struct wire_count));
}

static void depth_is_kept_beside_the_id(void **state)
{
	uint64_t id = ID_ROOT;

	(void)state;
	for (uint32_t depth = 1; depth <= 5000; depth++) {
		uint64_t callee = id_push(id, id_key(depth));

		hot_count(callee, id, 0);
		id = callee;
		assert_int_equal(tally_note(hot.tally, id).depth, depth);
		assert_int_equal(tally_note(hot.tally, id).function, depth);
	}
}

/* Returns whether the entry is in the slot where a stub looks for it. */
static int is_at_home(uint64_t id)
{
	return hot.tally->table[id >> 4 & hot.tally->mask].id == id;
}

/* Counts each function once. No table was abandoned shortly before. */
static void count_functions(uint32_t functions)
{
	for (uint32_t f = 1; f <= functions; f++)
		hot_count(id_of(f), ID_ROOT, 0);
	if (hot.tally->memory.is_settling)
		hot_reorder();
}

static void a_reorder_brings_the_busiest_home(void **state)
{
	const uint32_t functions = 200; /* in a table of 256 entries */
	uint32_t strays = 0, busiest = 0;

	(void)state;
	count_functions(functions);
	for (uint32_t f = 1; f <= functions && !busiest; f++)
		if (!is_at_home(id_of(f)))
			busiest = f;
	assert_int_not_equal(busiest, 0);
	while (strays++ < 1000)
		hot_count(id_of(busiest), ID_ROOT, 0);
	hot_reorder();
	assert_true(is_at_home(id_of(busiest)));
	assert_int_equal(calls_of(id_of(busiest)), 1001);
	assert_int_equal(hot.table, hot.tally->table);
}

static void a_crowded_table_grows_when_it_is_reordered(void **state)
{
	(void)state;
	count_functions(200);
	assert_int_equal(hot.tally->memory.active.log2, 8);
	for (unsigned int log2 = 9; log2 <= 11; log2++) {
		hot_reorder();
		assert_int_equal(hot.tally->memory.active.log2, log2);
		hot_reorder(); /* sweeps the former table */
	}
	hot_reorder(); /* less than an eighth is used */
	assert_int_equal(hot.tally->memory.active.log2, 11);
	assert_int_equal(calls_of(id_of(200)), 1);
}

/* Also after an abandoned table was freed. */
static void reorders_become_rarer(void **state)
{
	int32_t pause = 0;

	(void)state;
	count_functions(200);
	hot_reorder();
	for (int round = 0; round < 5; round++) {
		struct wire_count *table = hot.tally->table;

		assert_non_null(hot.tally->memory.retired.table);
		tally_sweep(hot.tally, &rt.recorder->part);
		hot_reorder();
		assert_ptr_equal(hot.tally->table, table);
		assert_true(!round || hot.strays_left == 2 * pause);
		pause = hot.strays_left;
		hot_reorder();
		assert_ptr_not_equal(hot.tally->table, table);
		assert_true(hot.strays_left < pause);
	}
}

/* A table is freed when more contexts arrive, unless a slow path is active. */
static void an_abandoned_table_is_freed(void **state)
{
	uint32_t function =
		4000; /* in a table of 8,192 entries, which has room for more */
	uint32_t busy;

	(void)state;
	count_functions(function);
	hot_reorder();
	busy = tally_enter_path(hot.tally, __builtin_frame_address(0));
	while (function++ < 5200)
		hot_count(id_of(function), ID_ROOT, 0);
	assert_non_null(hot.tally->memory.retired.table);
	assert_int_not_equal(hot.tally->wire->retired, 0);
	tally_leave_path(hot.tally, busy);
	while (function++ < 6400)
		hot_count(id_of(function), ID_ROOT, 0);
	assert_null(hot.tally->memory.retired.table);
	assert_int_equal(hot.tally->wire->retired, 0);
}

/* A table of 32 MiB would have enough slots, but would be too full. */
static void large_tables_are_less_full(void **state)
{
	(void)state;
	assert_int_equal(tallies_reserve(UINT64_C(850) << 10), 0);
	assert_int_equal(hot.tally->mask + 1, UINT64_C(1) << 21);
	assert_int_equal(tallies_reserve(UINT64_C(1300) << 10), 0);
	assert_int_equal(hot.tally->mask + 1, UINT64_C(1) << 22);
}

/*
 * Counts 2,000 contexts, as a handler that interrupts a slow path may, so that
 * the table grows more than once.
 */
static void count_many_in_a_handler(void)
{
	for (uint32_t f = 1000; f < 3000; f++)
		hot_count(id_of(f), ID_ROOT, 0);
	assert_true(hot.tally->mask >= 8 * 256 - 1);
	for (uint32_t f = 1000; f < 3000; f++)
		assert_int_equal(calls_of(id_of(f)), 1);
}

static void a_slow_path_below_two_growths_counts(void **state)
{
	struct wire_count *entry;
	uint32_t busy;

	(void)state;
	hot_count(id_of(1), ID_ROOT, 0);
	busy = tally_enter_path(hot.tally, __builtin_frame_address(0));
	entry = tally_find(hot.tally, id_of(1));
	count_many_in_a_handler();
	entry->field++;
	tally_leave_path(hot.tally, busy);
	hot_count(id_of(2), ID_ROOT, 0);
	assert_int_equal(calls_of(id_of(1)), 2);
	assert_int_equal(hot.tally->memory.held_count, 0);
}

static void an_entry_claimed_below_two_growths_is_kept(void **state)
{
	struct wire_count *entry;
	struct view view;
	uint32_t busy;

	(void)state;
	hot_count(id_of(1), ID_ROOT, 0);
	busy = tally_enter_path(hot.tally, __builtin_frame_address(0));
	view = tally_view(hot.tally);
	entry = view_find(&view, id_of(2));
	entry->id = WIRE_COUNT_CLAIMED;
	view.notes[entry - view.table] =
		(union note){ .function = 2, .depth = 1 };
	entry->field++;
	count_many_in_a_handler();
	entry->id = id_of(2);
	tally_leave_path(hot.tally, busy);
	hot_count(id_of(3), ID_ROOT, 0);
	assert_int_equal(calls_of(id_of(2)), 1);
	assert_int_equal(tally_note(hot.tally, id_of(2)).function, 2);
	assert_int_equal(hot.tally->memory.held_count, 0);
}

/* A search for the root's id also ends at a claimed entry. */
static void a_claimed_entry_is_not_the_root_s(void **state)
{
	struct wire_count *entry;
	struct view view;

	(void)state;
	hot_count(id_of(1), ID_ROOT, 0);
	view = tally_view(hot.tally);
	entry = view_find(&view, ID_ROOT);
	entry->id = WIRE_COUNT_CLAIMED;
	view.notes[entry - view.table] =
		(union note){ .function = WIRE_FOLDED, .depth = 7 };
	hot.tally->was_reentered = 1;
	hot_count(id_of(2), ID_ROOT, 0);
	assert_int_equal(calls_of(id_of(2)), 1);
	assert_int_equal(tally_note(hot.tally, id_of(2)).depth, 1);
}

static void late_counts_survive_a_sweep(void **state)
{
	struct wire_count *old;

	(void)state;
	count_functions(200);
	old = tally_find(hot.tally, id_of(5));
	hot_reorder();
	old->field++; /* by a stub that was interrupted earlier */
	assert_int_equal(calls_of(id_of(5)), 2);
	tallies_finish_thread();
	assert_int_equal(calls_of(id_of(5)), 2);
	assert_null(hot.tally->memory.retired.table);
	assert_int_equal(old->id, 0); /* such a stub finds no entry now */
}

static void contexts_beyond_the_limit_fold(void **state)
{
	uint64_t folded = id_push(ID_ROOT, id_key(WIRE_FOLDED));

	(void)state;
	rt.max_contexts = 100;
	for (uint32_t f = 1; f <= 150; f++) {
		hot.id = id_of(f);
		hot_count(hot.id, ID_ROOT, 0);
	}
	assert_int_equal(hot.id, folded);
	assert_int_equal(calls_of(folded), 50);
	assert_int_equal(hot.tally->wire->folded_calls[WIRE_FOLD_CONTEXTS], 50);
	hot_count(id_push(folded, id_key(3)), folded, 0);
	assert_int_equal(calls_of(folded), 51);
}

static uint64_t folded_calls(void)
{
	uint64_t calls = 0;

	for (int i = 0; i < WIRE_FOLD_COUNT; i++)
		calls += hot.tally->wire->folded_calls[i];
	return calls;
}

/*
 * An interpreted Java method adds to a count by functions of the JVM, which may
 * be hooked and record new contexts. `growths` is how often the table grows
 * before the method stores the count that it has read.
 */
static void check_growth_below_java(uint32_t growths)
{
	const struct wire_count *table;
	struct wire_count *entry;
	uint64_t field;

	hot_count(id_of(1), ID_ROOT, 0);
	table = hot.tally->table;
	entry = tally_find(hot.tally, id_of(1));
	hot.java_counting = (uintptr_t)entry;
	field = entry->field;
	for (uint32_t f = 2; f <= 200u << growths; f++)
		hot_count(id_of(f), ID_ROOT, 0);
	assert_int_equal(hot.tally->mask + 1, 256u << growths);
	assert_ptr_not_equal(hot.tally->table, table);
	assert_int_equal(tally_note(hot.tally, id_of(1)).function, 1);
	entry->field = field + WIRE_CALL_STEP;
	hot.java_counting = 0;
	hot_count(id_of(1), ID_ROOT, 0);
	tallies_finish_thread();
	assert_int_equal(calls_of(id_of(1)), 3);
	assert_int_equal(calls_of(id_of(200u << growths)), 1);
	assert_int_equal(folded_calls(), 0);
}

static void a_table_grows_while_a_java_method_adds_to_it(void **state)
{
	(void)state;
	check_growth_below_java(1);
}

static void a_table_grows_twice_while_a_java_method_adds_to_it(void **state)
{
	(void)state;
	check_growth_below_java(2);
}

static void *count_one(void *unused)
{
	(void)unused;
	hot_count(id_of(1), ID_ROOT, 0);
	return NULL;
}

static void threads_that_follow_each_other_share_tallies(void **state)
{
	(void)state;
	for (int i = 0; i < 1000; i++) {
		pthread_t thread;

		assert_int_equal(pthread_create(&thread, NULL, count_one, NULL),
				 0);
		pthread_join(thread, NULL);
	}
	assert_true(recorder->tallies.count <= TALLY_OWN_MAX + 8);
}

/*
 * The handler counts contexts of its own while the main program inserts others.
 * The maximum ensures progress of the main program on a busy computer.
 */
#define INTERRUPTED_MAX 20000

static volatile sig_atomic_t interrupted;
static uint64_t handled;
static timer_t timer;

static void count_in_handler(int signal)
{
	const struct itimerspec never = { { 0, 0 }, { 0, 0 } };
	uint64_t id = id_push(id_of(9000001), id_key(8000000));

	(void)signal;
	if (interrupted == INTERRUPTED_MAX)
		timer_settime(timer, 0, &never, NULL);
	for (uint32_t n = 0; n < 20; n++)
		hot_count(id_push(id, id_key(1 + (uint32_t)handled++)), id, 0);
	interrupted++;
}

static void handlers_may_interrupt_every_step(void **state)
{
	struct sigaction action = { .sa_handler = count_in_handler };
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL,
				  .sigev_signo = SIGUSR1 };
	struct itimerspec often = { { 0, 20000 }, { 0, 20000 } };
	const uint32_t least = 300000;
	const uint64_t first = id_of(9000001);
	uint64_t total = 0;
	uint32_t f = 0;

	(void)state;
	hot_count(first, ID_ROOT,
		  0); /* the callers of the handler's contexts */
	hot_count(id_push(first, id_key(8000000)), first, 0);
	assert_int_equal(sigaction(SIGUSR1, &action, NULL), 0);
	assert_int_equal(timer_create(CLOCK_MONOTONIC, &event, &timer), 0);
	timer_settime(timer, 0, &often, NULL);
	while (f < least || interrupted < 1000)
		hot_count(id_of(++f), ID_ROOT, 0);
	timer_delete(timer);
	for (uint64_t i = 0; i <= hot.tally->mask; i++)
		total += wire_calls(&hot.tally->table[i]);
	for (uint64_t i = 0; hot.tally->memory.retired.table &&
			     i < 1ul << hot.tally->memory.retired.log2;
	     i++)
		total += wire_calls(&hot.tally->memory.retired.table[i]);
	assert_int_equal(total, f + handled + 2);
}

static int is_mapped(const void *at)
{
	unsigned char is_there;

	return !mincore((void *)at, PAGE_BYTES, &is_there);
}

static void unmapped_tallies_leave_no_memory(void **state)
{
	struct tally *tally;
	const void *slots, *notes;

	(void)state;
	hot_count(id_of(1), ID_ROOT, 0x1000);
	tally = hot.tally;
	tally->histograms.room = PAGE_BYTES / sizeof(struct histogram_slot);
	slots = tally->histograms.slots = sys_map_private(PAGE_BYTES);
	notes = tally->notes;
	assert_true(is_mapped(slots) && is_mapped(notes));
	hot.tally = NULL;
	tallies_unmap(&recorder->tallies);
	assert_false(is_mapped(slots) || is_mapped(notes));
}

#define CLAIM(name) cmocka_unit_test_setup_teardown(name, start_part, end_part)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CLAIM(unmapped_tallies_leave_no_memory),
		CLAIM(every_call_of_every_context_is_counted),
		CLAIM(contexts_are_recorded_up_to_the_limit),
		CLAIM(any_reason_keeps_a_thread_switched_off),
		CLAIM(a_table_that_grows_switches_nothing_on),
		CLAIM(depth_is_kept_beside_the_id),
		CLAIM(a_reorder_brings_the_busiest_home),
		CLAIM(a_crowded_table_grows_when_it_is_reordered),
		CLAIM(reorders_become_rarer),
		CLAIM(an_abandoned_table_is_freed),
		CLAIM(large_tables_are_less_full),
		CLAIM(a_slow_path_below_two_growths_counts),
		CLAIM(an_entry_claimed_below_two_growths_is_kept),
		CLAIM(a_claimed_entry_is_not_the_root_s),
		CLAIM(late_counts_survive_a_sweep),
		CLAIM(contexts_beyond_the_limit_fold),
		CLAIM(a_table_grows_while_a_java_method_adds_to_it),
		CLAIM(a_table_grows_twice_while_a_java_method_adds_to_it),
		CLAIM(threads_that_follow_each_other_share_tallies),
		CLAIM(handlers_may_interrupt_every_step),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
