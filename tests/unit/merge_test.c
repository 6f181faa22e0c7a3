/* SPDX-License-Identifier: MIT */
#include "tests/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/made.h"
#include "wire/id.h"

static const struct whose everybody;

static void a_context_hangs_below_its_caller(void **state)
{
	struct made_world *world = *state;
	struct fixture fixture;
	uint64_t a, b;

	made_begin(&fixture, 100);
	a = fixture_context(&fixture, 0, ID_ROOT, 1, 1);
	b = fixture_context(&fixture, 0, a, 2, 10);
	fixture_context(&fixture, 0, b, 3, 100);
	fixture_context(&fixture, 0, a, 3, 1000);
	made_end(world, &fixture);
	made_read(world, &everybody);
	assert_int_equal(SELF(&world->session, 1).calls, 1);
	assert_int_equal(BELOW(&world->session, 1).calls, 1111);
	assert_int_equal(BELOW(&world->session, 1, 2).calls, 110);
	assert_int_equal(SELF(&world->session, 1, 2, 3).calls, 100);
	assert_int_equal(SELF(&world->session, 1, 3).calls, 1000);
	assert_int_equal(NODE(&world->session, 1, 3)->depth, 2);
	assert_int_equal(world->session.summary.contexts, 4);
	session_close(&world->session);
}

static void tallies_of_a_process_add_up(void **state)
{
	struct made_world *world = *state;
	struct fixture fixture;
	uint64_t a;

	made_begin(&fixture, 100);
	fixture_tally(&fixture, 1, 0, 0);
	a = fixture_context(&fixture, 0, ID_ROOT, 1, 1);
	fixture_context(&fixture, 0, a, 2, 10);
	fixture_context(&fixture, 1, ID_ROOT, 1, 2);
	fixture_context(&fixture, 1, a, 2, 20);
	made_end(world, &fixture);
	made_read(world, &everybody);
	assert_int_equal(SELF(&world->session, 1).calls, 3);
	assert_int_equal(SELF(&world->session, 1, 2).calls, 30);
	assert_int_equal(world->session.summary.contexts, 2);
	session_close(&world->session);
}

/*
 * The second process has another module first, so all its numbers differ from
 * those of the first process.
 */
static void processes_add_up_by_function(void **state)
{
	struct made_world *world = *state;
	struct fixture fixture;
	uint64_t a;

	made_begin(&fixture, 100);
	a = fixture_context(&fixture, 0, ID_ROOT, 1, 1);
	fixture_context(&fixture, 0, a, 2, 10);
	made_end(world, &fixture);
	fixture_init(&fixture, 101, 0);
	fixture_module(&fixture, "/lib/other", 1, 5);
	fixture_module(&fixture, "/lib/app", 6, 8);
	fixture_tally(&fixture, 0, 0, 0);
	a = fixture_context(&fixture, 0, ID_ROOT, 6, 2);
	fixture_context(&fixture, 0, a, 7, 20);
	made_end(world, &fixture);
	made_read(world, &everybody);
	assert_int_equal(SELF(&world->session, 1).calls, 3);
	assert_int_equal(SELF(&world->session, 1, 2).calls, 30);
	assert_int_equal(world->session.summary.processes, 2);
	assert_int_equal(world->session.catalog.module_count, 2);
	session_close(&world->session);
}

static void a_build_id_is_stronger_than_a_path(void **state)
{
	struct made_world *world = *state;
	struct fixture fixture;

	for (uint32_t i = 0; i < 3; i++) {
		struct wire_module *module;

		fixture_init(&fixture, 100 + i, 0);
		module = fixture_module(
			&fixture, i == 1 ? "/moved/app" : "/lib/app", 1, 8);
		module->build_id_bytes = 20;
		module->build_id[0] = i == 2;
		fixture_tally(&fixture, 0, 0, 0);
		fixture_context(&fixture, 0, ID_ROOT, 1, 1);
		made_end(world, &fixture);
	}
	made_read(world, &everybody);
	assert_int_equal(world->session.catalog.module_count, 2);
	assert_int_equal(SELF(&world->session, 1).calls, 2);
	session_close(&world->session);
}

static void a_retired_table_still_counts(void **state)
{
	struct made_world *world = *state;
	struct fixture fixture;
	uint64_t a;

	made_begin(&fixture, 100);
	a = fixture_context(&fixture, 0, ID_ROOT, 1, 3);
	fixture_retire(&fixture, 0);
	fixture_count(&fixture, 0, a, 40);
	made_end(world, &fixture);
	made_read(world, &everybody);
	assert_int_equal(SELF(&world->session, 1).calls, 43);
	session_close(&world->session);
}

static void a_table_that_nobody_refers_to_does_not_count(void **state)
{
	struct made_world *world = *state;
	struct fixture fixture;
	uint64_t a;

	made_begin(&fixture, 100);
	a = fixture_context(&fixture, 0, ID_ROOT, 1, 3);
	fixture_retire(&fixture, 0);
	fixture_count(&fixture, 0, a, 40);
	fixture_retire(&fixture, 0);
	fixture_count(&fixture, 0, a, 500);
	made_end(world, &fixture);
	made_read(world, &everybody);
	assert_int_equal(SELF(&world->session, 1).calls, 540);
	session_close(&world->session);
}

/*
 * The tallies share one context, of which one table has an entry of a context
 * that only the other tally has recorded, and the other table is retired.
 */
static void counts_add_up_wherever_their_context_is(void **state)
{
	struct made_world *world = *state;
	struct fixture fixture;
	uint64_t a, b;

	made_begin(&fixture, 100);
	fixture_tally(&fixture, 1, 0, 0);
	a = fixture_context(&fixture, 0, ID_ROOT, 1, 1);
	fixture_retire(&fixture, 0);
	fixture_count(&fixture, 0, a, 20);
	b = fixture_context(&fixture, 0, a, 2, 300);
	fixture_context(&fixture, 1, ID_ROOT, 1, 4000);
	fixture_count(&fixture, 1, b, 50000);
	made_end(world, &fixture);
	made_read(world, &everybody);
	assert_int_equal(SELF(&world->session, 1).calls, 4021);
	assert_int_equal(SELF(&world->session, 1, 2).calls, 50300);
	assert_int_equal(world->session.summary.strays, 0);
	session_close(&world->session);
}

/* Only a damaged recording has a context with the id of another's tail calls. */
static void an_entry_of_two_contexts_counts_once(void **state)
{
	struct made_world *world = *state;
	struct fixture fixture;
	uint64_t a;

	made_begin(&fixture, 100);
	a = fixture_context(&fixture, 0, ID_ROOT, 1, 1);
	fixture_tail_calls(&fixture, 0, 20);
	fixture_context(&fixture, 0, id_pop(wire_tail_id(a), id_key(2)), 2,
			300);
	made_end(world, &fixture);
	made_read(world, &everybody);
	assert_int_equal(SELF(&world->session, 1).calls, 1);
	assert_int_equal(world->session.summary.calls, 321);
	session_close(&world->session);
}

/* In a damaged recording, a range may begin inside a module's functions. */
static void a_range_inside_a_module_takes_its_numbers(void **state)
{
	struct made_world *world = *state;
	struct fixture fixture;
	const struct tree_node *unknown;

	made_begin(&fixture, 100);
	fixture_range(&fixture, WIRE_RANGE_GENERATED, 4, 1);
	for (uint32_t function = 1; function <= 5; function++)
		fixture_context(&fixture, 0, ID_ROOT, function, 10 * function);
	made_end(world, &fixture);
	made_read(world, &everybody);
	assert_int_equal(SELF(&world->session, 3).calls, 30);
	unknown = made_child(&world->session, TREE_ROOT, FUNCTION_UNKNOWN);
	assert_non_null(unknown);
	assert_int_equal(node_self(&world->session.tree, unknown).calls, 90);
	session_close(&world->session);
}

static void folded_calls_stand_below_their_ancestor(void **state)
{
	struct made_world *world = *state;
	struct fixture fixture;
	const struct tree_node *folded;
	uint64_t a;

	made_begin(&fixture, 100);
	a = fixture_context(&fixture, 0, ID_ROOT, 1, 1);
	fixture_context(&fixture, 0, a, WIRE_FOLDED, 77);
	made_end(world, &fixture);
	made_read(world, &everybody);
	folded = made_child(&world->session,
			    (uint32_t)(NODE(&world->session, 1) -
				       world->session.tree.nodes),
			    FUNCTION_FOLDED);
	assert_non_null(folded);
	assert_int_equal(node_self(&world->session.tree, folded).calls, 77);
	session_close(&world->session);
}

static void an_unrecorded_caller_is_unknown(void **state)
{
	struct made_world *world = *state;
	struct fixture fixture;
	const struct tree_node *unknown;

	made_begin(&fixture, 100);
	fixture_context(&fixture, 0, 0x1234567, 1, 5);
	made_end(world, &fixture);
	made_read(world, &everybody);
	unknown =
		made_child(&world->session, TREE_ROOT, FUNCTION_UNKNOWN_CALLER);
	assert_non_null(unknown);
	assert_int_equal(node_self(&world->session.tree, unknown).calls, 0);
	assert_int_equal(node_below(&world->session.tree, unknown).calls, 5);
	session_close(&world->session);
}

static void counts_without_a_context_are_strays(void **state)
{
	struct made_world *world = *state;
	struct fixture fixture;

	made_begin(&fixture, 100);
	fixture_context(&fixture, 0, ID_ROOT, 1, 1);
	fixture_count(&fixture, 0, 0x1234567, 6);
	made_end(world, &fixture);
	made_read(world, &everybody);
	assert_int_equal(world->session.summary.strays, 6);
	assert_int_equal(world->session.summary.calls, 7);
	session_close(&world->session);
}

static void a_circle_of_callers_ends(void **state)
{
	struct made_world *world = *state;
	struct fixture fixture;

	made_begin(&fixture, 100);
	assert_int_equal(
		fixture_context(&fixture, 0, CIRCLE, CIRCLE_FUNCTION, 11),
		CIRCLE);
	made_end(world, &fixture);
	made_read(world, &everybody);
	assert_int_equal(world->session.summary.calls, 11);
	session_close(&world->session);
}

static void tail_calls_are_calls_and_counted_apart(void **state)
{
	struct made_world *world = *state;
	struct fixture fixture;
	const struct tree_node *node;
	uint64_t a;

	made_begin(&fixture, 100);
	a = fixture_context(&fixture, 0, ID_ROOT, 1, 1);
	fixture_context(&fixture, 0, a, 2, 20);
	fixture_tail_calls(&fixture, 0, 7);
	made_end(world, &fixture);
	made_read(world, &everybody);
	assert_int_equal(world->session.summary.contexts, 2);
	assert_int_equal(SELF(&world->session, 1).tails, 0);
	node = NODE(&world->session, 1, 2);
	assert_int_equal(node_self(&world->session.tree, node).calls, 27);
	assert_int_equal(node_self(&world->session.tree, node).tails, 7);
	session_close(&world->session);
}

/*
 * With is_only_merged, the reader releases merged memory, and does not read it
 * a second time.
 */
static void what_is_only_merged_is_the_same(void **state)
{
	enum { CONTEXTS = 3000 };
	struct made_world *world = *state;
	struct fixture fixture;
	uint64_t id = ID_ROOT;

	fixture_init(&fixture, 100, 0);
	fixture_module(&fixture, "/lib/app", 1, 8);
	fixture_thread(&fixture, 100, "main", 0);
	fixture_tally(&fixture, 0, CONTEXTS, 13);
	for (uint32_t i = 0; i < CONTEXTS; i++)
		id = fixture_context(&fixture, 0, id, 1 + i % 7, i);
	made_end(world, &fixture);
	for (int is_only_merged = 0; is_only_merged < 2; is_only_merged++) {
		made_read(world,
			  &(struct whose){ .is_only_merged = is_only_merged });
		assert_int_equal(world->session.recording.problem_count, 0);
		assert_int_equal(world->session.summary.contexts, CONTEXTS);
		assert_int_equal(world->session.summary.calls,
				 CONTEXTS * (CONTEXTS - 1) / 2);
		session_close(&world->session);
	}
}

static void a_thread_is_chosen_by_name_or_number(void **state)
{
	static const char *const wanted[] = { "worker", "4711" };
	struct made_world *world = *state;
	struct fixture fixture;

	made_begin(&fixture, 100);
	fixture_thread(&fixture, 4711, "worker", 1);
	fixture_tally(&fixture, 1, 0, 0);
	fixture_context(&fixture, 0, ID_ROOT, 1, 1);
	fixture_context(&fixture, 1, ID_ROOT, 2, 20);
	made_end(world, &fixture);
	for (size_t i = 0; i < 2; i++) {
		made_read(world, &(struct whose){ .thread = wanted[i] });
		assert_null(NODE(&world->session, 1));
		assert_int_equal(SELF(&world->session, 2).calls, 20);
		assert_int_equal(world->session.summary.threads, 1);
		session_close(&world->session);
	}
}

static void who_followed_a_thread_is_owned_up_to(void **state)
{
	struct made_world *world = *state;
	struct fixture fixture;

	made_begin(&fixture, 100);
	fixture_thread(&fixture, 200, "first", 0);
	fixture_thread(&fixture, 201, "second", 0);
	fixture_context(&fixture, 0, ID_ROOT, 1, 1);
	made_end(world, &fixture);
	made_read(world, &(struct whose){ .thread = "first" });
	assert_int_equal(world->session.summary.follow_ups, 2);
	session_close(&world->session);
}

static void a_process_is_chosen_by_pid(void **state)
{
	struct made_world *world = *state;
	struct fixture fixture;
	char *why;

	for (uint32_t pid = 100; pid < 103; pid++) {
		made_begin(&fixture, pid);
		fixture_context(&fixture, 0, ID_ROOT, 1, pid);
		made_end(world, &fixture);
	}
	made_read(world, &(struct whose){ .pid = 101 });
	assert_int_equal(world->session.summary.calls, 101);
	session_close(&world->session);
	assert_true(session_open(&world->session, world->directory,
				 &(struct whose){ .pid = 9 }, &why) < 0);
	free(why);
}

static void a_recursion_of_100000_levels_is_read(void **state)
{
	enum { LEVELS = 100000 };
	struct made_world *world = *state;
	struct fixture fixture;
	uint64_t id = ID_ROOT;
	uint32_t deepest;

	fixture_init(&fixture, 100, 0);
	fixture_module(&fixture, "/lib/app", 1, 8);
	fixture_tally(&fixture, 0, LEVELS, 18);
	for (int i = 0; i < LEVELS; i++)
		id = fixture_context(&fixture, 0, id, 1, 1);
	made_end(world, &fixture);
	made_read(world, &everybody);
	deepest = (uint32_t)world->session.tree.count - 1;
	assert_int_equal(world->session.tree.nodes[deepest].depth, LEVELS);
	assert_int_equal(BELOW(&world->session, 1).calls, LEVELS);
	session_close(&world->session);
}

/* ---- Values ---- */

/* A chunk of values with one column and two rows. */
struct values_chunk {
	struct wire_values head;
	struct wire_value_kind kind;
	struct {
		struct wire_value_row head;
		int64_t value;
	} rows[2];
};

static struct values_chunk some_values(uint64_t id, int64_t value)
{
	struct values_chunk values = {
		.head = { .columns = 1, .rows = 2 },
		.kind = { .name = "bytes", .unit = WIRE_UNIT_BYTES },
	};

	values.rows[1].head =
		(struct wire_value_row){ .id = id, .state = WIRE_ROW_CONTEXT };
	values.rows[1].value = value;
	return values;
}

static void values_stand_in_place_of_time(void **state)
{
	struct made_world *world = *state;
	struct values_chunk values, others;
	struct fixture fixture;
	uint64_t a, b, c;

	made_begin(&fixture, 100);
	a = fixture_context(&fixture, 0, ID_ROOT, 1, 1);
	b = fixture_context(&fixture, 0, a, 2, 10);
	c = fixture_context(&fixture, 0, a, 3, 10);
	values = some_values(b, 7);
	fixture_values(&fixture, &values, sizeof(values));
	values = some_values(a, 30);
	fixture_values(&fixture, &values, sizeof(values));
	values = some_values(a, -10);
	fixture_values(&fixture, &values, sizeof(values));
	values = some_values(c, 100);
	fixture_values(&fixture, &values, sizeof(values));
	values = some_values(c, -101);
	fixture_values(&fixture, &values, sizeof(values));
	others = some_values(ID_ROOT, 500);
	others.rows[0].head.state = WIRE_ROW_OTHERS;
	others.rows[0].value = 4000;
	fixture_values(&fixture, &others, sizeof(others));
	made_end(world, &fixture);
	made_read(world,
		  &(struct whose){ .value = "bytes", .without_time = 1 });
	assert_int_equal(SELF(&world->session, 1).ns, 20);
	assert_int_equal(SELF(&world->session, 1, 2).ns, 7);
	assert_int_equal(SELF(&world->session, 1, 3).ns, 0);
	assert_int_equal(BELOW(&world->session, 1).ns, 27);
	assert_int_equal(node_self(&world->session.tree,
				   made_child(&world->session, TREE_ROOT,
					      FUNCTION_FOLDED))
				 .ns,
			 4000);
	assert_int_equal(world->session.summary.time_ns, 4527);
	assert_int_equal(world->session.value->total, 4526);
	assert_int_equal(world->session.value->rows, 7);
	session_close(&world->session);
}

/* Each chunk is cut, has false counts, or has a value without a name. */
static void damaged_values_are_passed_over(void **state)
{
	struct made_world *world = *state;
	struct values_chunk values;
	struct fixture fixture;
	uint64_t a;

	made_begin(&fixture, 100);
	a = fixture_context(&fixture, 0, ID_ROOT, 1, 1);
	values = some_values(a, 7);
	for (size_t bytes = 0; bytes < sizeof(values); bytes += 4)
		fixture_values(&fixture, &values, bytes);
	values.head.rows = UINT32_MAX;
	fixture_values(&fixture, &values, sizeof(values));
	values = some_values(a, 7);
	values.head.columns = WIRE_VALUES_MAX + 1;
	fixture_values(&fixture, &values, sizeof(values));
	values.head.columns = UINT32_MAX;
	fixture_values(&fixture, &values, sizeof(values));
	values.head.columns = 0;
	fixture_values(&fixture, &values, sizeof(values));
	values = some_values(a, 7);
	memset(values.kind.name, 'x', sizeof(values.kind.name));
	fixture_values(&fixture, &values, sizeof(values));
	values = some_values(a, 7);
	values.kind.name[0] = '\0';
	fixture_values(&fixture, &values, sizeof(values));
	made_end(world, &fixture);
	made_read(world, &everybody);
	assert_int_equal(world->session.values.count, 0);
	session_close(&world->session);
}

/* Makes the merge print its next progress message at once. */
static void look_at_progress(void *context, const struct part_copy *part)
{
	(void)part;
	((struct progress *)context)->next_ns = 0;
}

/* Returns the progress messages of a merge on stderr; the caller frees it. */
static char *progress_text(struct recording *recording)
{
	struct progress progress = { .is_on = 1 };
	const struct whose whose = { .progress = &progress,
				     .look = look_at_progress,
				     .look_context = &progress };
	FILE *file = tmpfile();
	const int saved = dup(STDERR_FILENO);
	struct timeline timeline = { 0 };
	struct catalog catalog;
	struct merged merged;
	struct tree tree;
	char *text = calloc(1, 4096);

	assert_non_null(file);
	catalog_init(&catalog);
	tree_init(&tree);
	dup2(fileno(file), STDERR_FILENO);
	merge_recording(recording, &whose, &catalog, &tree, &timeline, &merged);
	dup2(saved, STDERR_FILENO);
	close(saved);
	rewind(file);
	assert_true(fread(text, 1, 4095, file) > 0);
	fclose(file);
	jni_usage_fini(&merged.jni);
	value_list_fini(&merged.values);
	mark_list_fini(&merged.marks);
	timeline_fini(&timeline);
	tree_fini(&tree);
	catalog_fini(&catalog);
	return text;
}

static void progress_is_measured_in_bytes(void **state)
{
	struct made_world *world = *state;
	struct recording recording;
	struct fixture fixture;
	char *text, *why, wanted[64];
	uint64_t first, second;

	for (uint32_t pid = 100; pid < 102; pid++) {
		const int levels = pid == 100 ? 1 : 1000;
		uint64_t id = ID_ROOT;

		fixture_init(&fixture, pid, 0);
		fixture_module(&fixture, "/lib/app", 1, 8);
		fixture_tally(&fixture, 0, (uint32_t)levels, 12);
		for (int i = 0; i < levels; i++)
			id = fixture_context(&fixture, 0, id, 1, 1);
		made_end(world, &fixture);
	}
	assert_int_equal(recording_open(&recording, world->directory, &why), 0);
	first = recording.parts[0].header->end;
	second = recording.parts[1].header->end;
	assert_true(first > second * 5 / 4 || second > first * 5 / 4);
	snprintf(wanted, sizeof(wanted), "reading: %.0f %%",
		 100 * (double)first / (double)(first + second));
	text = progress_text(&recording);
	assert_non_null(strstr(text, "reading: 0 %"));
	assert_non_null(strstr(text, wanted));
	free(text);
	recording_close(&recording);
}

#define TEST(name)                                                             \
	cmocka_unit_test_setup_teardown(name, made_set_up, made_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_context_hangs_below_its_caller),
		TEST(tallies_of_a_process_add_up),
		TEST(processes_add_up_by_function),
		TEST(a_build_id_is_stronger_than_a_path),
		TEST(a_retired_table_still_counts),
		TEST(a_table_that_nobody_refers_to_does_not_count),
		TEST(counts_add_up_wherever_their_context_is),
		TEST(an_entry_of_two_contexts_counts_once),
		TEST(a_range_inside_a_module_takes_its_numbers),
		TEST(folded_calls_stand_below_their_ancestor),
		TEST(an_unrecorded_caller_is_unknown),
		TEST(counts_without_a_context_are_strays),
		TEST(a_circle_of_callers_ends),
		TEST(tail_calls_are_calls_and_counted_apart),
		TEST(a_thread_is_chosen_by_name_or_number),
		TEST(who_followed_a_thread_is_owned_up_to),
		TEST(a_process_is_chosen_by_pid),
		TEST(a_recursion_of_100000_levels_is_read),
		TEST(values_stand_in_place_of_time),
		TEST(damaged_values_are_passed_over),
		TEST(what_is_only_merged_is_the_same),
		TEST(progress_is_measured_in_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
