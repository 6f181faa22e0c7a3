/* SPDX-License-Identifier: MIT */
/* Tests the contexts of samples, and how groups divide the tree. */
#include "tests/unit/unit.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/merge/merged_samples.h"
#include "report/model/waits.h"
#include "report/view/flat_lines.h"
#include "tests/unit/sampled.h"
#include "wire/id.h"

static void a_sample_in_the_leaf_is_its_own(void **state)
{
	struct sampled_world *world = *state;

	sampled_add(world, world->h, fixture_pc(4) + 3);
	sampled_add(world, world->h, fixture_pc(4) + 3);
	sampled_add(world, world->h, fixture_pc(4) + 5);
	sampled_read(world);
	sampled_assert(world, NODE(world, F(1), F(2), F(4)), 3);
	assert_int_equal(
		node_below(&world->session.tree, NODE(world, F(1))).samples, 3);
	assert_int_equal(node_below(&world->session.tree, NODE(world, F(1))).ns,
			 3000);
	assert_int_equal(
		node_self(&world->session.tree, NODE(world, F(1))).samples, 0);
	assert_int_equal(world->session.tree.spot_count, 2);
	assert_int_equal(world->session.summary.samples, 3);
	assert_int_equal(world->session.summary.time_ns, 3000);
	assert_int_equal(world->session.summary.contexts, 4);
	session_close(&world->session);
}

static void sample_after_a_return_belongs_to_the_caller(void **state)
{
	struct sampled_world *world = *state;

	sampled_add(world, world->h, fixture_pc(2) + 1);
	sampled_read(world);
	sampled_assert(world, NODE(world, F(1), F(2)), 1);
	session_close(&world->session);
}

static void sample_at_an_entry_belongs_to_the_callee(void **state)
{
	struct sampled_world *world = *state;

	sampled_add(world, world->f, fixture_pc(4));
	sampled_read(world);
	sampled_assert(world, NODE(world, F(1), F(2), F(4)), 1);
	session_close(&world->session);
}

static void sample_in_a_function_without_a_frame_is_a_siblings(void **state)
{
	struct sampled_world *world = *state;

	sampled_add(world, world->f, fixture_pc(3));
	sampled_read(world);
	sampled_assert(world, NODE(world, F(1), F(3)), 1);
	session_close(&world->session);
}

static void code_that_is_not_hooked_gets_a_node(void **state)
{
	struct sampled_world *world = *state;

	sampled_add(world, world->f, fixture_pc(7) + 2);
	sampled_add(world, ID_ROOT, fixture_pc(8) + 2);
	sampled_read(world);
	sampled_assert(world, NODE(world, F(1), F(2), F(7)), 1);
	assert_int_equal(NODE(world, F(1), F(2), F(7))->is_context, 0);
	sampled_assert(world, NODE(world, F(8)), 1);
	assert_int_equal(world->session.summary.contexts, 4);
	session_close(&world->session);
}

static void code_of_no_symbol_is_named_after_its_module(void **state)
{
	struct sampled_world *world = *state;
	struct wire_module *module;
	uint32_t function;

	module = fixture_module(&world->fixture, "/lib/none", 9, 0);
	module->base = 0x20000000;
	module->vaddr_end = 0x2000;
	sampled_add(world, world->f, 0x20001010);
	sampled_read(world);
	function = catalog_named(&world->session.catalog, KIND_NATIVE, 1,
				 "(in none)");
	sampled_assert(world, NODE(world, F(1), F(2), function), 1);
	session_close(&world->session);
}

static void flags_become_nodes(void **state)
{
	struct sampled_world *world = *state;

	sampled_add(world, world->f, (fixture_pc(7) + 1) | WIRE_SAMPLE_KERNEL);
	sampled_add(world, world->f, WIRE_SAMPLE_BLOCKED);
	sampled_add(world, world->f, 0x30000000 | WIRE_SAMPLE_CLEW);
	sampled_add(world, world->f, 0x30000000);
	sampled_add(world, world->f, 0);
	sampled_read_as(world, &(struct whose){ .with_clew = 1 });
	sampled_assert(world, NODE(world, F(1), F(2), F(7), FUNCTION_KERNEL),
		       1);
	sampled_assert(world, NODE(world, F(1), F(2), FUNCTION_BLOCKED), 1);
	sampled_assert(world, NODE(world, F(1), F(2), FUNCTION_CLEW), 1);
	sampled_assert(world, NODE(world, F(1), F(2), FUNCTION_GENERATED), 1);
	sampled_assert(world, NODE(world, F(1), F(2)), 1);
	session_close(&world->session);
}

static void assert_wait(struct sampled_world *world, uint32_t wait,
			const char *name)
{
	uint32_t function = catalog_named(&world->session.catalog, KIND_BLOCKED,
					  CATALOG_NO_MODULE, name);

	assert_int_equal(wait_function(&world->session.catalog, wait),
			 function);
	sampled_assert(world, NODE(world, F(1), F(2), F(7), function), 1);
}

/* The state after an unseen jump: main is two calls further out. */
static void sample_after_a_jump_belongs_to_an_outer_caller(void **state)
{
	struct sampled_world *world = *state;

	sampled_add(world, world->h, fixture_pc(1) + 2);
	sampled_read(world);
	sampled_assert(world, NODE(world, F(1)), 1);
	session_close(&world->session);
}

static void unhooked_function_is_no_caller(void **state)
{
	struct sampled_world *world = *state;
	struct wire_module *module =
		fixture_module(&world->fixture, "/lib/two", 9, 1);
	struct wire_function *functions = (void *)((char *)(module + 1) + 8);
	uint64_t id;

	module->base = 0x20000000;
	functions[0].verdict = VERDICT_IS_TOO_SHORT;
	id = fixture_context(&world->fixture, 0, ID_ROOT, 9, 1);
	id = fixture_context(&world->fixture, 0, id, 1, 1);
	id = fixture_context(&world->fixture, 0, id, 2, 1);
	sampled_add(world, id, 0x20001000);
	sampled_read(world);
	sampled_assert(world, NODE(world, F(9), F(1), F(2), F(9)), 1);
	session_close(&world->session);
}

static void ways_to_find_native_code_are_counted(void **state)
{
	struct sampled_world *world = *state;
	const uint64_t *native = world->session.summary.places.native;

	fixture_sample(&world->fixture, 0, world->h, fixture_pc(4) + 1,
		       1000 + 4 * WIRE_WEIGHT_OBSERVATION);
	sampled_add(world, world->h, fixture_pc(2));
	sampled_add(world, world->h, fixture_pc(2));
	sampled_add(world, world->f, fixture_pc(4));
	sampled_add(world, world->f, fixture_pc(3));
	sampled_add(world, world->h, fixture_pc(1));
	sampled_add(world, world->f, fixture_pc(7) | WIRE_SAMPLE_KERNEL);
	sampled_add(world, ID_ROOT, fixture_pc(1));
	sampled_add(world, world->f, 0);
	sampled_add(world, world->f, fixture_pc(2) | WIRE_SAMPLE_CLEW);
	sampled_read(world);
	assert_int_equal(native[PLACE_LEAF], 5);
	assert_int_equal(native[PLACE_CALLER], 2);
	assert_int_equal(native[PLACE_CALLEE], 1);
	assert_int_equal(native[PLACE_SIBLING], 1);
	assert_int_equal(native[PLACE_OUTER], 1);
	assert_int_equal(native[PLACE_MODULE], 2);
	assert_int_equal(sample_places_sum(native), 12);
	assert_int_equal(
		sample_places_sum(world->session.summary.places.dynamic), 0);
	session_close(&world->session);
}

static void a_wait_is_named_by_its_reason(void **state)
{
	static const struct {
		uint32_t wait;
		const char *name;
	} waits[] = {
		{ WIRE_WAIT_CALL + 0, "(read)" },
		{ WIRE_WAIT_CALL + 7, "(poll)" },
		{ WIRE_WAIT_CALL + 202, "(futex)" },
		{ WIRE_WAIT_CALL + 230, "(clock_nanosleep)" },
		{ WIRE_WAIT_CALL + 2000, "(system call 2000)" },
		{ WIRE_WAIT_UNSAMPLED, "(unsampled)" },
		{ WIRE_WAIT_STOPPED, "(stopped)" },
		{ WIRE_WAIT_PROCESSOR, "(runnable)" },
		{ WIRE_WAIT_FAULT, "(page fault)" },
	};
	const size_t count = sizeof(waits) / sizeof(*waits);
	struct sampled_world *world = *state;

	for (size_t i = 0; i < count; i++)
		sampled_add(world, world->f,
			    (fixture_pc(7) + 2) |
				    wire_sample_blocked(waits[i].wait));
	sampled_read(world);
	for (size_t i = 0; i < count; i++)
		assert_wait(world, waits[i].wait, waits[i].name);
	assert_int_equal(world->session.tree.spot_count, count);
	session_close(&world->session);
}

static void an_extended_sample_counts_each_tick(void **state)
{
	struct sampled_world *world = *state;
	const struct tree_node *node;

	fixture_sample(&world->fixture, 0, world->f, WIRE_SAMPLE_BLOCKED,
		       5000000 + 4 * WIRE_WEIGHT_OBSERVATION);
	sampled_add(world, world->f, WIRE_SAMPLE_BLOCKED);
	sampled_read(world);
	node = NODE(world, F(1), F(2), FUNCTION_BLOCKED);
	assert_int_equal(node_self(&world->session.tree, node).samples, 6);
	assert_int_equal(node_self(&world->session.tree, node).ns, 5001000);
	assert_int_equal(world->session.summary.samples, 6);
	assert_int_equal(world->session.samples_taken, 6);
	session_close(&world->session);
}

/*
 * A sample without a line counts for the function. Time without a pc is not
 * lost.
 */
static void samples_of_lines_add_up(void **state)
{
	struct sampled_world *world = *state;
	uint64_t sum = 0;
	struct flat flat;

	sampled_add(world, world->f, fixture_pc(2) + 3);
	sampled_add(world, world->f,
		    (fixture_pc(2) + 3) | wire_sample_blocked(WIRE_WAIT_CALL));
	sampled_add(world, world->f, wire_sample_blocked(WIRE_WAIT_PROCESSOR));
	sampled_add(world, world->g, 0);
	sampled_read(world);
	flat_init_lines(&flat, &world->session.tree, &world->session.catalog);
	assert_int_equal(flat.count, 4);
	for (size_t i = 0; i < flat.count; i++)
		sum += flat.rows[i].self.ns;
	assert_int_equal(sum, world->session.summary.time_ns);
	flat_fini(&flat);
	session_close(&world->session);
}

static void time_of_clew_is_not_the_programs(void **state)
{
	struct sampled_world *world = *state;

	sampled_add(world, world->f, fixture_pc(2));
	sampled_add(world, world->f, 0x30000000 | WIRE_SAMPLE_CLEW);
	sampled_read(world);
	assert_null(NODE(world, F(1), F(2), FUNCTION_CLEW));
	assert_int_equal(world->session.summary.time_ns, 1000);
	assert_int_equal(world->session.summary.samples, 1);
	assert_int_equal(world->session.summary.clew_ns, 1000);
	assert_int_equal(world->session.summary.clew_samples, 1);
	session_close(&world->session);
}

static void an_unknown_id_is_reported(void **state)
{
	struct sampled_world *world = *state;

	sampled_add(world, 0x1234567, fixture_pc(7));
	sampled_read(world);
	sampled_assert(
		world,
		NODE(world, FUNCTION_UNKNOWN_CALLER, FUNCTION_UNKNOWN, F(7)),
		1);
	session_close(&world->session);
}

static void samples_can_be_left_out(void **state)
{
	struct sampled_world *world = *state;

	sampled_add(world, world->f, fixture_pc(2));
	sampled_read_as(world, &(struct whose){ .without_time = 1 });
	sampled_assert(world, NODE(world, F(1), F(2)), 0);
	session_close(&world->session);
}

static void an_unloaded_module_is_found_by_its_time(void **state)
{
	struct sampled_world *world = *state;
	struct wire_header *header = fixture_header(&world->fixture);
	struct wire_module *module;

	/* One tick is a nanosecond: the samples are at 1001 and 1002. */
	header->first = (struct wire_moment){ .tsc = 0, .ns = 1 };
	header->latest = (struct wire_moment){ .tsc = 100, .ns = 101 };
	header->start_ns = 1000;
	module = fixture_module(&world->fixture, "/lib/first", 9, 4);
	module->base = 0x20000000;
	module->unloaded_ns = 1002;
	module = fixture_module(&world->fixture, "/lib/second", 13, 4);
	module->base = 0x20000000;
	module->loaded_ns = 1002;
	sampled_add(world, world->f, 0x20001000);
	sampled_add(world, world->f, 0x20001000);
	sampled_read(world);
	sampled_assert(world, NODE(world, F(1), F(2), F(9)), 1);
	sampled_assert(world, NODE(world, F(1), F(2), F(13)), 1);
	session_close(&world->session);
}

static void a_call_site_is_kept(void **state)
{
	struct sampled_world *world = *state;
	const struct catalog_site *site;

	fixture_last_context(&world->fixture, 0)->site = fixture_pc(2) + 7;
	sampled_read(world);
	site = &world->session.catalog
			.sites[NODE(world, F(1), F(2), F(4))->site];
	assert_int_equal(site->vaddr, 0x1000 + 16 + 7);
	assert_int_equal(site->module, 0);
	assert_int_equal(NODE(world, F(1), F(2))->site, 0);
	session_close(&world->session);
}

static void add_second_thread(struct sampled_world *world)
{
	fixture_thread(&world->fixture, 101, "worker", 1);
	fixture_tally(&world->fixture, 1, 0, 0);
	fixture_context(&world->fixture, 1, ID_ROOT, 1, 7);
	fixture_sample(&world->fixture, 1, world->main, fixture_pc(1), 1000);
}

static void threads_can_be_told_apart(void **state)
{
	struct sampled_world *world = *state;
	struct catalog *catalog = &world->session.catalog;
	uint32_t first, second;

	sampled_add(world, world->f, fixture_pc(2));
	add_second_thread(world);
	sampled_read_as(world, &(struct whose){ .grouping = GROUP_THREAD });
	first = catalog_named(catalog, KIND_GROUP, CATALOG_NO_MODULE,
			      "main (100)");
	second = catalog_named(catalog, KIND_GROUP, CATALOG_NO_MODULE,
			       "worker (101)");
	sampled_assert(world, NODE(world, first, F(1), F(2)), 1);
	assert_int_equal(
		node_self(&world->session.tree, NODE(world, first, F(1))).calls,
		1);
	sampled_assert(world, NODE(world, second, F(1)), 1);
	assert_int_equal(
		node_self(&world->session.tree, NODE(world, second, F(1)))
			.calls,
		7);
	assert_null(NODE(world, second, F(1), F(2)));
	assert_int_equal(world->session.summary.calls, 38);
	session_close(&world->session);
}

static void a_timeline_has_each_sample(void **state)
{
	struct sampled_world *world = *state;
	const struct timeline *timeline = &world->session.timeline;

	fixture_header(&world->fixture)->latest =
		(struct wire_moment){ .tsc = 100, .ns = 100 };
	sampled_add(world, world->f, fixture_pc(2));
	add_second_thread(world);
	sampled_add(world, world->g, fixture_pc(3));
	sampled_read_as(world, &(struct whose){ .with_timeline = 1 });
	assert_int_equal(timeline->count, 3);
	assert_int_equal(timeline->thread_count, 2);
	/* Samples are sorted by thread, in any order of their chunks. */
	assert_int_equal(timeline->samples[0].thread,
			 timeline->samples[1].thread);
	assert_int_equal(timeline->threads[timeline->samples[2].thread].tid,
			 101);
	assert_ptr_equal(&world->session.tree.nodes[timeline->samples[1].node],
			 NODE(world, F(1), F(3)));
	assert_int_equal(timeline->samples[1].weight_ns, 1000);
	session_close(&world->session);
}

#define TEST(name)                                                             \
	cmocka_unit_test_setup_teardown(name, sampled_set_up, sampled_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_sample_in_the_leaf_is_its_own),
		TEST(sample_after_a_return_belongs_to_the_caller),
		TEST(sample_at_an_entry_belongs_to_the_callee),
		TEST(sample_in_a_function_without_a_frame_is_a_siblings),
		TEST(code_that_is_not_hooked_gets_a_node),
		TEST(code_of_no_symbol_is_named_after_its_module),
		TEST(flags_become_nodes),
		TEST(sample_after_a_jump_belongs_to_an_outer_caller),
		TEST(unhooked_function_is_no_caller),
		TEST(ways_to_find_native_code_are_counted),
		TEST(a_wait_is_named_by_its_reason),
		TEST(an_extended_sample_counts_each_tick),
		TEST(samples_of_lines_add_up),
		TEST(time_of_clew_is_not_the_programs),
		TEST(an_unknown_id_is_reported),
		TEST(samples_can_be_left_out),
		TEST(an_unloaded_module_is_found_by_its_time),
		TEST(a_call_site_is_kept),
		TEST(threads_can_be_told_apart),
		TEST(a_timeline_has_each_sample),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
