/* SPDX-License-Identifier: MIT */
#include "tests/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/view/butterfly.h"
#include "report/view/selection.h"
#include "report/view/session.h"
#include "report/view/views.h"
#include "report/write/writer.h"
#include "tests/unit/fixture.h"
#include "wire/id.h"

#define TICKS_PER_NS 2
#define COST_SELF    10
#define COST_CALLER  30

static const struct whose everybody;

/* Begins a process with the functions 1 to 8, and tally 0 with times. */
static void begin(struct fixture *fixture, uint32_t pid)
{
	struct wire_header *header;

	fixture_init(fixture, pid, 0);
	fixture_module(fixture, "/lib/app", 1, 8);
	fixture_thread(fixture, pid, "main", 0);
	fixture_tally(fixture, 0, 0, 0);
	fixture_timed_table(fixture, 0);
	header = fixture_header(fixture);
	header->time = WIRE_TIME_EXACT;
	header->first = (struct wire_moment){ .tsc = 1000, .ns = 1000 };
	header->latest = (struct wire_moment){
		.tsc = 1000 + TICKS_PER_NS * UINT64_C(1000000),
		.ns = 1001000,
	};
	header->cost_self_ticks = COST_SELF;
	header->cost_caller_ticks = COST_CALLER;
}

static uint64_t add(struct fixture *fixture, uint64_t caller, uint32_t function,
		    uint64_t calls, struct wire_times times)
{
	uint64_t id = fixture_context(fixture, 0, caller, function, calls);

	*fixture_times(fixture, 0, id) = times;
	return id;
}

static void read_and_remove(struct session *session, struct fixture *fixture,
			    char *directory)
{
	char *why;

	fixture_save_part(fixture, directory);
	fixture_fini(fixture);
	assert_int_equal(session_open(session, directory, &everybody, &why), 0);
	fixture_remove(directory);
}

static uint32_t node_of(const struct session *session, uint32_t parent,
			uint32_t function)
{
	return tree_find(&session->tree, parent, FUNCTION_FIRST + function - 1);
}

static void own_time_is_compensated_and_raw_is_kept(void **state)
{
	struct fixture fixture;
	struct session session;
	const struct timing *timing;
	uint64_t id;
	uint32_t outer, inner;

	begin(&fixture, 100);
	id = add(&fixture, ID_ROOT, 1, 1,
		 (struct wire_times){ .ended = 1,
				      .total = 9000,
				      .self = 4000,
				      .min = 9000,
				      .max = 9000 });
	add(&fixture, id, 2, 12,
	    (struct wire_times){ .ended = 10,
				 .total = 5000,
				 .self = 5000,
				 .min = 200,
				 .max = 1000,
				 .clamped = 1 });
	read_and_remove(&session, &fixture, fixture_directory());
	outer = node_of(&session, TREE_ROOT, 1);
	inner = node_of(&session, outer, 2);
	assert_int_equal(tree_self(&session.tree, inner).ns,
			 (5000 - 10 * COST_SELF) / TICKS_PER_NS);
	assert_int_equal(tree_self(&session.tree, outer).ns,
			 (4000 - COST_SELF - 10 * COST_CALLER) / TICKS_PER_NS);
	assert_int_equal(tree_below(&session.tree, outer).ns,
			 (9000 - 11 * COST_SELF - 10 * COST_CALLER) /
				 TICKS_PER_NS);
	timing = timings_of_node(&session.tree.timings, inner);
	assert_int_equal(timing->ended, 10);
	assert_int_equal(timing->total_ns, 2500);
	assert_int_equal(timing->self_ns, 2500);
	assert_int_equal(timing->min_ns, 100);
	assert_int_equal(timing->max_ns, 500);
	assert_int_equal(session.tree.timings.open_calls, 2);
	assert_int_equal(session.tree.timings.clamped_calls, 1);
	session_close(&session);
}

static void time_below_the_cost_of_measuring_is_zero(void **state)
{
	struct fixture fixture;
	struct session session;
	uint32_t node;

	begin(&fixture, 100);
	add(&fixture, ID_ROOT, 1, 100,
	    (struct wire_times){ .ended = 100, .total = 900, .self = 900 });
	read_and_remove(&session, &fixture, fixture_directory());
	node = node_of(&session, TREE_ROOT, 1);
	assert_int_equal(tree_self(&session.tree, node).ns, 0);
	assert_int_equal(session.tree.timings.overcompensated, 1);
	assert_int_equal(timings_of_node(&session.tree.timings, node)->self_ns,
			 450);
	session_close(&session);
}

static void times_of_a_retired_table_add_up(void **state)
{
	struct fixture fixture;
	struct session session;
	const struct timing *timing;
	uint64_t id, table;

	begin(&fixture, 100);
	id = add(&fixture, ID_ROOT, 1, 1,
		 (struct wire_times){ .ended = 1,
				      .total = 600,
				      .self = 600,
				      .min = 600,
				      .max = 600 });
	table = wire_table_ref(fixture.tallies[0].table,
			       fixture.tallies[0].log2);
	fixture_timed_table(&fixture, 0);
	((struct wire_tally *)(fixture.bytes + fixture.tallies[0].head))
		->retired = table;
	fixture_count(&fixture, 0, id, 2);
	*fixture_times(&fixture, 0, id) = (struct wire_times){
		.ended = 2, .total = 1000, .self = 1000, .min = 400, .max = 600
	};
	read_and_remove(&session, &fixture, fixture_directory());
	timing = timings_of_node(&session.tree.timings,
				 node_of(&session, TREE_ROOT, 1));
	assert_int_equal(timing->ended, 3);
	assert_int_equal(timing->total_ns, 800);
	assert_int_equal(timing->min_ns, 200);
	assert_int_equal(timing->max_ns, 300);
	session_close(&session);
}

/* Trees that are derived from the tree keep the times of their nodes. */
static void copied_trees_have_their_times(void **state)
{
	struct fixture fixture;
	struct session session;
	struct tree other;
	uint8_t keep[FUNCTION_FIRST + 8] = { 0 };
	uint64_t id;

	begin(&fixture, 100);
	id = add(&fixture, ID_ROOT, 1, 1,
		 (struct wire_times){
			 .ended = 1, .total = 600, .min = 600, .max = 600 });
	add(&fixture, id, 2, 3,
	    (struct wire_times){
		    .ended = 3, .total = 300, .min = 80, .max = 120 });
	read_and_remove(&session, &fixture, fixture_directory());
	keep[FUNCTION_FIRST + 1] = 1;
	tree_keep(&session.tree, keep, &other);
	assert_int_equal(timings_of_node(&other.timings, 1)->ended, 3);
	assert_int_equal(timings_of_node(&other.timings, 1)->max_ns, 60);
	assert_null(timings_of_node(&other.timings, TREE_ROOT));
	tree_fini(&other);
	session_inline(&session);
	assert_int_equal(session.tree.timings.ended_calls, 4);
	assert_int_equal(timings_of_node(&session.tree.timings,
					 node_of(&session, TREE_ROOT, 1))
				 ->min_ns,
			 300);
	session_close(&session);
}

static void histograms_of_tallies_and_processes_add_up(void **state)
{
	struct fixture fixture;
	struct session session;
	const struct timing_bins *bins;
	char *directory = fixture_directory();

	for (uint32_t pid = 100; pid < 102; pid++) {
		begin(&fixture, pid);
		fixture_context(&fixture, 0, ID_ROOT, 3, 1);
		fixture_tally(&fixture, 1, 0, 0);
		fixture_histogram(&fixture, 0, 3, 7);
		fixture_histogram(&fixture, 1, 3, 7);
		fixture_histogram(&fixture, 1, 0, 9);
		if (pid == 101)
			break;
		fixture_save_part(&fixture, directory);
		fixture_fini(&fixture);
	}
	read_and_remove(&session, &fixture, directory);
	bins = timings_of_function(&session.tree.timings, FUNCTION_FIRST + 2);
	assert_int_equal(bins->calls[7], 4);
	assert_int_equal(bins->calls[9], 0);
	assert_int_equal(session.tree.timings.others.calls[9], 2);
	assert_int_equal(timings_bin_ns(&session.tree.timings, 7), 64);
	session_close(&session);
}

/*
 * The calls of one method are apart, and also among all calls of the function.
 */
static void histograms_of_callers_are_told_apart(void **state)
{
	const uint32_t native = FUNCTION_FIRST + 2, one = FUNCTION_FIRST,
		       other = FUNCTION_FIRST + 1;
	struct fixture fixture;
	struct session session;
	const struct timings *timings = &session.tree.timings;
	uint64_t id;

	begin(&fixture, 100);
	fixture_histogram_of_calls(&fixture, 0, 3, 1, 7);
	fixture_histogram_of_calls(&fixture, 0, 3, 1, 9);
	fixture_histogram_of_calls(&fixture, 0, 3, 2, 30);
	id = add(&fixture, ID_ROOT, 1, 1, (struct wire_times){ 0 });
	add(&fixture, id, 3, 1,
	    (struct wire_times){ .ended = 1, .latest = 1 << 7 });
	read_and_remove(&session, &fixture, fixture_directory());
	assert_int_equal(timings_of_function(timings, native)->calls[7], 2);
	assert_int_equal(timings_of_function(timings, native)->calls[30], 1);
	assert_int_equal(timings_of_pair(timings, native, one)->calls[7], 2);
	assert_int_equal(timings_of_pair(timings, native, one)->calls[9], 1);
	assert_int_equal(timings_of_pair(timings, native, one)->calls[30], 0);
	assert_int_equal(timings_of_pair(timings, native, other)->calls[30], 1);
	assert_null(timings_of_pair(timings, other, one));
	assert_int_equal(
		timings_quantile_ns(timings,
				    timings_of_pair(timings, native, one), 500),
		timings_bin_ns(timings, 8));
	assert_int_equal(
		timings_quantile_ns(timings,
				    timings_of_pair(timings, native, one), 990),
		timings_bin_ns(timings, 10));
	session_close(&session);
}

/*
 * A context's latest calls are in no histogram yet and are added to its
 * function's histogram or, if it has none, to that of the other functions.
 */
static void latest_calls_are_added_to_histograms(void **state)
{
	struct fixture fixture;
	struct session session;
	const struct timings *timings = &session.tree.timings;
	const struct timing_bins *bins;
	uint64_t id;

	begin(&fixture, 100);
	fixture_histogram(&fixture, 0, 3, 7);
	fixture_histogram(&fixture, 0, 0, 9);
	id = add(&fixture, ID_ROOT, 3, 2,
		 (struct wire_times){
			 .ended = 2, .total = 1030, .latest = 900 });
	add(&fixture, id, 3, 1,
	    (struct wire_times){ .ended = 1, .total = 0, .latest = 1 });
	add(&fixture, id, 4, 2,
	    (struct wire_times){ .ended = 2, .total = 1000, .latest = 480 });
	add(&fixture, id, 5, 1, (struct wire_times){ .ended = 1, .total = 5 });
	read_and_remove(&session, &fixture, fixture_directory());
	bins = timings_of_function(timings, FUNCTION_FIRST + 2);
	assert_int_equal(bins->calls[0], 1);
	assert_int_equal(bins->calls[7], 1);
	assert_int_equal(bins->calls[9], 1);
	assert_int_equal(timings->others.calls[8], 1);
	assert_int_equal(timings->others.calls[9], 1);
	assert_int_equal(timings->others.calls[0], 0);
	session_close(&session);
}

/* A damaged recording may have this: a short chunk of the tally. */
static void times_before_the_chunk_are_ignored(void **state)
{
	struct fixture fixture;
	struct session session;

	begin(&fixture, 100);
	fixture_tally(&fixture, 0, 0, 0);
	fixture_context(&fixture, 0, ID_ROOT, 1, 5);
	read_and_remove(&session, &fixture, fixture_directory());
	assert_null(timings_of_node(&session.tree.timings,
				    node_of(&session, TREE_ROOT, 1)));
	session_close(&session);
}

static void short_calls_are_told_from_long_ones(void **state)
{
	const struct timing fine = { .ended = 1000, .self_ns = 24000 };
	const struct timing coarse = { .ended = 10, .self_ns = 1000190 };
	const struct timing none = { .self_ns = 5 };
	struct timing_bins bins[2] = { { .calls = { [4] = 900, [20] = 100 } },
				       { .calls = { [4] = 2, [20] = 8 } } };
	struct timings timings = { .clock = { .ticks = 1, .ns = 1 },
				   .cost_ns = 20,
				   .functions = bins,
				   .function_count = 2 };

	(void)state;
	assert_true(timing_is_too_fine(&timings, 2, &fine, 5000));
	assert_true(timing_is_too_fine(&timings, 2, &fine, 0));
	assert_false(timing_is_too_fine(&timings, 2, &coarse, 1000000));
	assert_false(timing_is_too_fine(&timings, 2, &none, 0));
	/* however long the few calls were that lost the processor */
	assert_true(timing_is_too_fine(&timings, 0, &coarse, 1000000));
	assert_false(timing_is_too_fine(&timings, 1, &coarse, 1000000));
}

/* The first bins are for calls of less than a nanosecond. */
static void no_two_bins_look_alike(void **state)
{
	struct fixture fixture;
	struct session session;
	struct butterfly butterfly;
	uint8_t *chosen;
	char *text, *line, *rest, last[16] = "";
	size_t bytes;
	unsigned int bins = 0;
	FILE *out;

	(void)state;
	begin(&fixture, 100);
	fixture_header(&fixture)->latest.ns -= 500000; /* with 4 ticks each */
	for (uint32_t bin = 0; bin < 6; bin++)
		fixture_histogram(&fixture, 0, 1, bin);
	add(&fixture, ID_ROOT, 1, 6,
	    (struct wire_times){ .ended = 6, .total = 63, .max = 33 });
	read_and_remove(&session, &fixture, fixture_directory());
	chosen = calloc(session.catalog.function_count, 1);
	assert_non_null(chosen);
	chosen[FUNCTION_FIRST] = 1;
	butterfly_init(&butterfly, &session.tree, &session.catalog, chosen,
		       METRIC_CALLS);
	out = open_memstream(&text, &bytes);
	assert_non_null(out);
	writer_text.butterfly(out, &session,
			      &(struct butterfly_view){ .butterfly = &butterfly,
							.name = "f" });
	fclose(out);
	for (line = strtok_r(text, "\n", &rest); line;
	     line = strtok_r(NULL, "\n", &rest)) {
		char from[16];

		if (sscanf(line, " %15[^m] or more", from) != 1 ||
		    !strstr(line, "or more"))
			continue;
		assert_string_not_equal(from, last);
		strcpy(last, from);
		bins++;
	}
	assert_int_equal(bins, 5); /* bins for 0, 1, 2, 4, and at least 8 ns */
	free(text);
	butterfly_fini(&butterfly);
	free(chosen);
	session_close(&session);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_two_bins_look_alike),
		cmocka_unit_test(short_calls_are_told_from_long_ones),
		cmocka_unit_test(own_time_is_compensated_and_raw_is_kept),
		cmocka_unit_test(time_below_the_cost_of_measuring_is_zero),
		cmocka_unit_test(times_of_a_retired_table_add_up),
		cmocka_unit_test(copied_trees_have_their_times),
		cmocka_unit_test(histograms_of_tallies_and_processes_add_up),
		cmocka_unit_test(histograms_of_callers_are_told_apart),
		cmocka_unit_test(latest_calls_are_added_to_histograms),
		cmocka_unit_test(times_before_the_chunk_are_ignored),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
