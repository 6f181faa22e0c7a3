/* SPDX-License-Identifier: MIT */
/* Where samples go in the tree, and how groups divide it. */
#include "tests/unit/unit.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/merge/merged_samples.h"
#include "report/model/told_lines.h"
#include "report/model/waits.h"
#include "report/view/flat_lines.h"
#include "report/view/session.h"
#include "tests/unit/fixture.h"
#include "wire/id.h"

/* main (1) calls f (2) and g (3), f calls h (4); 5 to 8 are never called. */
struct world {
	char *directory;
	struct fixture fixture;
	struct session session;
	uint64_t main, f, g, h;
};

static int set_up(void **state)
{
	struct world *world = calloc(1, sizeof(*world));
	struct fixture *fixture = &world->fixture;

	world->directory = fixture_directory();
	fixture_init(fixture, 100, 0);
	fixture_module(fixture, "/lib/app", 1, 8);
	fixture_thread(fixture, 100, "main", 0);
	fixture_tally(fixture, 0, 0, 0);
	world->main = fixture_context(fixture, 0, ID_ROOT, 1, 1);
	world->f = fixture_context(fixture, 0, world->main, 2, 10);
	world->g = fixture_context(fixture, 0, world->main, 3, 10);
	world->h = fixture_context(fixture, 0, world->f, 4, 10);
	*state = world;
	return 0;
}

static int tear_down(void **state)
{
	struct world *world = *state;

	fixture_fini(&world->fixture);
	fixture_remove(world->directory);
	free(world);
	return 0;
}

static void sample(struct world *world, uint64_t id, uint64_t where)
{
	fixture_sample(&world->fixture, 0, id, where, 1000);
}

static void read_as(struct world *world, const struct whose *whose)
{
	char *why;

	fixture_save_part(&world->fixture, world->directory);
	assert_int_equal(
		session_open(&world->session, world->directory, whose, &why),
		0);
}

static void read_all(struct world *world)
{
	static const struct whose everybody;

	read_as(world, &everybody);
}

/* The node that functions of the catalog, ended by 0, lead to. */
static const struct tree_node *walk(const struct session *session,
				    const uint32_t *functions)
{
	uint32_t at = TREE_ROOT;

	for (; *functions; functions++) {
		at = tree_find(&session->tree, at, *functions);
		if (at == TREE_ROOT)
			return NULL;
	}
	return &session->tree.nodes[at];
}

#define F(number) (FUNCTION_FIRST + (number)-1)
#define NODE(world, ...)                                                       \
	walk(&(world)->session, (const uint32_t[]){ __VA_ARGS__, 0 })

static void assert_samples(const struct tree_node *node, uint64_t samples)
{
	assert_non_null(node);
	assert_int_equal(node->self.samples, samples);
	assert_int_equal(node->self.ns, 1000 * samples);
}

static void a_sample_in_the_leaf_is_its_own(void **state)
{
	struct world *world = *state;

	sample(world, world->h, fixture_pc(4) + 3);
	sample(world, world->h, fixture_pc(4) + 3);
	sample(world, world->h, fixture_pc(4) + 5);
	read_all(world);
	assert_samples(NODE(world, F(1), F(2), F(4)), 3);
	assert_int_equal(NODE(world, F(1))->below.samples, 3);
	assert_int_equal(NODE(world, F(1))->below.ns, 3000);
	assert_int_equal(NODE(world, F(1))->self.samples, 0);
	assert_int_equal(world->session.tree.spot_count, 2);
	assert_int_equal(world->session.summary.samples, 3);
	assert_int_equal(world->session.summary.time_ns, 3000);
	assert_int_equal(world->session.summary.contexts, 4);
	session_close(&world->session);
}

static void who_is_leaving_is_back_in_the_caller(void **state)
{
	struct world *world = *state;

	sample(world, world->h, fixture_pc(2) + 1);
	read_all(world);
	assert_samples(NODE(world, F(1), F(2)), 1);
	session_close(&world->session);
}

static void who_is_entering_is_in_the_callee(void **state)
{
	struct world *world = *state;

	sample(world, world->f, fixture_pc(4));
	read_all(world);
	assert_samples(NODE(world, F(1), F(2), F(4)), 1);
	session_close(&world->session);
}

static void behind_a_tail_call_is_the_sibling(void **state)
{
	struct world *world = *state;

	sample(world, world->f, fixture_pc(3));
	read_all(world);
	assert_samples(NODE(world, F(1), F(3)), 1);
	session_close(&world->session);
}

static void code_that_is_not_hooked_gets_a_node(void **state)
{
	struct world *world = *state;

	sample(world, world->f, fixture_pc(7) + 2);
	sample(world, ID_ROOT, fixture_pc(8) + 2);
	read_all(world);
	assert_samples(NODE(world, F(1), F(2), F(7)), 1);
	assert_int_equal(NODE(world, F(1), F(2), F(7))->is_context, 0);
	assert_samples(NODE(world, F(8)), 1);
	assert_int_equal(world->session.summary.contexts, 4);
	session_close(&world->session);
}

static void code_of_no_symbol_is_named_after_its_module(void **state)
{
	struct world *world = *state;
	struct wire_module *module;
	uint32_t function;

	module = fixture_module(&world->fixture, "/lib/none", 9, 0);
	module->base = 0x20000000;
	module->vaddr_end = 0x2000;
	sample(world, world->f, 0x20001010);
	read_all(world);
	function = catalog_named(&world->session.catalog, KIND_NATIVE, 1,
				 "(in none)");
	assert_samples(NODE(world, F(1), F(2), function), 1);
	session_close(&world->session);
}

static void flags_become_nodes(void **state)
{
	struct world *world = *state;

	sample(world, world->f, (fixture_pc(7) + 1) | WIRE_SAMPLE_KERNEL);
	sample(world, world->f, WIRE_SAMPLE_BLOCKED);
	sample(world, world->f, 0x30000000 | WIRE_SAMPLE_CLEW);
	sample(world, world->f, 0x30000000);
	sample(world, world->f, 0);
	read_as(world, &(struct whose){ .with_clew = 1 });
	assert_samples(NODE(world, F(1), F(2), F(7), FUNCTION_KERNEL), 1);
	assert_samples(NODE(world, F(1), F(2), FUNCTION_BLOCKED), 1);
	assert_samples(NODE(world, F(1), F(2), FUNCTION_CLEW), 1);
	assert_samples(NODE(world, F(1), F(2), FUNCTION_GENERATED), 1);
	assert_samples(NODE(world, F(1), F(2)), 1);
	session_close(&world->session);
}

static uint32_t generated(struct world *world, const char *name)
{
	return catalog_named(&world->session.catalog, KIND_GENERATED,
			     CATALOG_NO_MODULE, name);
}

/* Samples are at the times 1, 2, 3 ...; the clock is not known. */
static void code_is_that_which_was_there_at_the_time(void **state)
{
	struct world *world = *state;

	fixture_code(&world->fixture, 0x30000000, 0x100, 2, "one");
	fixture_code(&world->fixture, 0x30000000, 0, 4, NULL);
	fixture_code(&world->fixture, 0x2ffffff0, 0x20, 5, "Interpreter");
	fixture_code(&world->fixture, 0x20000000, 0, 5, NULL);
	fixture_code(&world->fixture, 0x40000000, 0, 5, "empty");
	for (int i = 0; i < 6; i++)
		sample(world, world->f, 0x30000008);
	read_all(world);
	assert_samples(NODE(world, F(1), F(2), FUNCTION_GENERATED), 2);
	assert_samples(NODE(world, F(1), F(2), generated(world, "one")), 2);
	assert_samples(
		NODE(world, F(1), F(2), generated(world, "(interpreter)")), 2);
	session_close(&world->session);
}

/*
 * Memory that a module made executable is that module's until another one does, it
 * is unmapped, or nobody knows whose it is; what it makes is, too.
 */
static void code_without_a_name_is_its_makers(void **state)
{
	struct world *world = *state;
	const uint64_t pc = FIXTURE_MODULE_BASE + 0x1000;
	const char *plainly = "(generated code of app)";
	const char *named = "(generated code of app, memfd:x)";

	fixture_maker(&world->fixture, 0x30000000, 0x30002000, pc, 2, 0, "");
	fixture_maker(&world->fixture, 0x30000000, 0x30001000, pc, 4, 7,
		      "memfd:x");
	fixture_maker(&world->fixture, 0x30000000, 0x30001000, 0x30001000, 8, 0,
		      "own");
	fixture_maker(&world->fixture, 0x30000000, 0x30002000, 0, 10, 0, "");
	fixture_maker(&world->fixture, 0x30000000, 0x10, pc, 1, 0, "");
	for (int i = 0; i < 11; i++)
		sample(world, world->f, 0x30000008);
	read_all(world);
	assert_samples(NODE(world, F(1), F(2), FUNCTION_GENERATED), 4);
	assert_samples(NODE(world, F(1), F(2), generated(world, plainly)), 4);
	assert_samples(NODE(world, F(1), F(2), generated(world, named)), 3);
	session_close(&world->session);
}

/* inner() is inlined into that code, up to offset 8; behind it nobody knows. */
static void told_code_has_lines_and_inlined_methods(void **state)
{
	static const struct {
		char file[8];
		struct wire_line lines[2];
	} source = { "A.java", { { 0, 20 }, { 3, 21 } } };
	static const uint8_t bytes[] = { 8, 2, 0, 1, 0, 0, 4, 1 };
	struct world *world = *state;
	const struct catalog *catalog = &world->session.catalog;
	const struct tree_spot *spot;
	const char *file;
	uint32_t line, inlined;

	fixture_range(&world->fixture, WIRE_RANGE_JAVA, 4096, 4096);
	FIXTURE_NAME(&world->fixture, 4096, "LA;\0inner\0()V");
	fixture_told(&world->fixture, WIRE_SOURCES, 4096, &source,
		     sizeof(source));
	fixture_code(&world->fixture, 0x30000000, 0x100, 1, "one");
	fixture_code_lines(&world->fixture, 0x30000000, 1, 4096, bytes,
			   sizeof(bytes));
	sample(world, world->f, 0x30000008);
	sample(world, world->f, 0x30000009);
	read_all(world);
	assert_samples(NODE(world, F(1), F(2), generated(world, "one")), 2);
	assert_int_equal(world->session.tree.spot_count, 1);
	spot = &world->session.tree.spots[0];
	assert_int_equal(spot->samples, 1);
	assert_int_equal(told_function(catalog, spot->site),
			 generated(world, "one"));
	assert_true(told_site_place(catalog, spot->site, &file, &line));
	assert_string_equal(file, "A.java");
	assert_int_equal(line, 21);
	session_inline(&world->session);
	inlined = catalog_named(&world->session.catalog, KIND_INLINED,
				CATALOG_NO_MODULE, "A.inner()");
	assert_samples(NODE(world, F(1), F(2), generated(world, "one")), 1);
	assert_samples(
		NODE(world, F(1), F(2), generated(world, "one"), inlined), 1);
	session_close(&world->session);
}

/* "over" comes on top of "under", which then goes: "over" stays until it goes. */
static void objects_with_code_may_overlap(void **state)
{
	struct world *world = *state;

	fixture_registered(&world->fixture, 0x30000000, 1, 2, "under");
	fixture_registered(&world->fixture, 0x30000000, 3, 3, "over");
	fixture_registered(&world->fixture, 0x30000000, 1, 4, NULL);
	fixture_registered(&world->fixture, 0x30000000, 3, 6, NULL);
	for (int i = 0; i < 6; i++)
		sample(world, world->f, 0x30000008);
	read_all(world);
	assert_samples(NODE(world, F(1), F(2), FUNCTION_GENERATED), 2);
	assert_samples(NODE(world, F(1), F(2), generated(world, "under")), 1);
	assert_samples(NODE(world, F(1), F(2), generated(world, "over")), 3);
	session_close(&world->session);
}

static void assert_wait(struct world *world, uint32_t wait, const char *name)
{
	uint32_t function = catalog_named(&world->session.catalog, KIND_BLOCKED,
					  CATALOG_NO_MODULE, name);

	assert_int_equal(wait_function(&world->session.catalog, wait),
			 function);
	assert_samples(NODE(world, F(1), F(2), F(7), function), 1);
}

/* As after a jump that was not seen: main is two calls further out. */
static void who_has_jumped_is_further_out(void **state)
{
	struct world *world = *state;

	sample(world, world->h, fixture_pc(1) + 2);
	read_all(world);
	assert_samples(NODE(world, F(1)), 1);
	session_close(&world->session);
}

static void what_is_not_hooked_is_no_caller(void **state)
{
	struct world *world = *state;
	struct wire_module *module =
		fixture_module(&world->fixture, "/lib/two", 9, 1);
	struct wire_function *functions = (void *)((char *)(module + 1) + 8);
	uint64_t id;

	module->base = 0x20000000;
	functions[0].verdict = VERDICT_IS_TOO_SHORT;
	id = fixture_context(&world->fixture, 0, ID_ROOT, 9, 1);
	id = fixture_context(&world->fixture, 0, id, 1, 1);
	id = fixture_context(&world->fixture, 0, id, 2, 1);
	sample(world, id, 0x20001000);
	read_all(world);
	assert_samples(NODE(world, F(9), F(1), F(2), F(9)), 1);
	session_close(&world->session);
}

static void it_is_counted_how_native_code_is_found(void **state)
{
	struct world *world = *state;
	const uint64_t *native = world->session.summary.places.native;

	fixture_sample(&world->fixture, 0, world->h, fixture_pc(4) + 1,
		       1000 + 4 * WIRE_WEIGHT_LOOK);
	sample(world, world->h, fixture_pc(2));
	sample(world, world->h, fixture_pc(2));
	sample(world, world->f, fixture_pc(4));
	sample(world, world->f, fixture_pc(3));
	sample(world, world->h, fixture_pc(1));
	sample(world, world->f, fixture_pc(7) | WIRE_SAMPLE_KERNEL);
	sample(world, ID_ROOT, fixture_pc(1));
	sample(world, world->f, 0);
	sample(world, world->f, fixture_pc(2) | WIRE_SAMPLE_CLEW);
	read_all(world);
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

/* A perf map, where clew record keeps it. */
static void announce(struct world *world, const char *text)
{
	char path[PATH_MAX];
	FILE *file;

	snprintf(path, sizeof(path), "%s/100.0" WIRE_MAP_SUFFIX,
		 world->directory);
	file = fopen(path, "w");
	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

/* What a perf map says is known of no time; whose memory it is is less. */
static void it_is_counted_how_dynamic_code_is_found(void **state)
{
	const uint64_t module_pc = FIXTURE_MODULE_BASE + 0x1000;
	struct world *world = *state;
	const uint64_t *dynamic = world->session.summary.places.dynamic;

	fixture_code(&world->fixture, 0x30000000, 0x100, 1, "told");
	fixture_maker(&world->fixture, 0x30000000, 0x30002000, module_pc, 1, 0,
		      "");
	announce(world, "30000000 1000 mapped\n");
	for (uint64_t pc = 0x30000008; pc < 0x30003000; pc += 0x1000)
		sample(world, world->f, pc);
	sample(world, ID_ROOT, 0x30001008);
	sample(world, world->f, 0x30000208);
	read_all(world);
	assert_samples(NODE(world, F(1), F(2), generated(world, "told")), 1);
	assert_samples(NODE(world, F(1), F(2), generated(world, "mapped")), 1);
	assert_int_equal(dynamic[PLACE_TIMED], 1);
	assert_int_equal(dynamic[PLACE_NEWEST], 1);
	assert_int_equal(dynamic[PLACE_MAKER], 2);
	assert_int_equal(dynamic[PLACE_UNKNOWN], 1);
	assert_int_equal(sample_places_sum(dynamic), 5);
	session_close(&world->session);
}

static uint32_t java(struct world *world, const char *name)
{
	return catalog_named(&world->session.catalog, KIND_JAVA,
			     CATALOG_NO_MODULE, name);
}

/* a, b and c call each other, c has called d, and b has called e. */
static uint64_t make_java(struct fixture *fixture, uint64_t caller)
{
	static const uint32_t inner[] = { 4096, 4097, 4098 };
	static const uint32_t callee[] = { 4099 };
	static const uint32_t sibling[] = { 4096, 4097, 4100 };
	uint64_t c;

	fixture_range(fixture, WIRE_RANGE_JAVA, 4096, 4096);
	FIXTURE_NAME(fixture, 4096, "LA;\0a\0()V");
	FIXTURE_NAME(fixture, 4097, "LA;\0b\0()V");
	FIXTURE_NAME(fixture, 4098, "LA;\0c\0()V");
	FIXTURE_NAME(fixture, 4099, "LA;\0d\0()V");
	FIXTURE_NAME(fixture, 4100, "LA;\0e\0()V");
	FIXTURE_JAVA_CODE(fixture, 0x30000000, 1, "LA;\0a\0()V");
	FIXTURE_JAVA_CODE(fixture, 0x30001000, 1, "LA;\0b\0()V");
	FIXTURE_JAVA_CODE(fixture, 0x30002000, 1, "LA;\0c\0()V");
	FIXTURE_JAVA_CODE(fixture, 0x30003000, 1, "LA;\0d\0()V");
	FIXTURE_JAVA_CODE(fixture, 0x30004000, 1, "LA;\0e\0()V");
	FIXTURE_JAVA_CODE(fixture, 0x30005000, 1, "LA;\0f\0()V");
	fixture_range(fixture, WIRE_RANGE_JAVA_STACK, 8192, 4096);
	fixture_name(fixture, 8192, (const char *)inner, sizeof(inner));
	fixture_name(fixture, 8193, (const char *)callee, sizeof(callee));
	fixture_name(fixture, 8194, (const char *)sibling, sizeof(sibling));
	c = fixture_context(fixture, 0, caller, 8192, 0);
	fixture_context(fixture, 0, c, 8193, 0);
	fixture_context(fixture, 0, caller, 8194, 0);
	return c;
}

/* Where Java is innermost; below native code it is what that has called. */
static void java_is_looked_for_in_its_context_first(void **state)
{
	struct world *world = *state;
	const uint64_t *dynamic = world->session.summary.places.dynamic;
	const uint64_t c = make_java(&world->fixture, world->f);
	const uint64_t native = fixture_context(&world->fixture, 0, c, 3, 1);
	uint32_t path[7];

	fixture_context(&world->fixture, 0, native, 8193, 0);
	for (uint64_t i = 0; i < 6; i++)
		sample(world, c, 0x30000008 + i * 0x1000);
	sample(world, native, 0x30002008);
	sample(world, native, 0x30003008);
	read_all(world);
	memcpy(path,
	       (uint32_t[]){ F(1), F(2), java(world, "A.a()"),
			     java(world, "A.b()"), java(world, "A.c()"), 0, 0 },
	       sizeof(path));
	path[3] = 0;
	assert_samples(walk(&world->session, path), 1);
	path[3] = java(world, "A.b()");
	path[4] = 0;
	assert_samples(walk(&world->session, path), 1);
	path[4] = java(world, "A.e()");
	assert_samples(walk(&world->session, path), 1);
	path[4] = java(world, "A.c()");
	assert_samples(walk(&world->session, path), 1);
	path[5] = java(world, "A.d()");
	assert_samples(walk(&world->session, path), 1);
	path[5] = java(world, "A.f()");
	assert_samples(walk(&world->session, path), 1);
	assert_samples(NODE(world, path[0], path[1], path[2], path[3], path[4],
			    F(3), java(world, "A.c()")),
		       1);
	assert_samples(NODE(world, path[0], path[1], path[2], path[3], path[4],
			    F(3), java(world, "A.d()")),
		       1);
	assert_int_equal(dynamic[PLACE_LEAF], 1);
	assert_int_equal(dynamic[PLACE_CALLER], 1);
	assert_int_equal(dynamic[PLACE_CALLEE], 2);
	assert_int_equal(dynamic[PLACE_SIBLING], 1);
	assert_int_equal(dynamic[PLACE_OUTER], 1);
	assert_int_equal(dynamic[PLACE_TIMED], 2);
	assert_int_equal(sample_places_sum(dynamic), 8);
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
		{ WIRE_WAIT_STOPPED, "(stopped)" },
		{ WIRE_WAIT_PROCESSOR, "(runnable)" },
		{ WIRE_WAIT_FAULT, "(page fault)" },
	};
	const size_t count = sizeof(waits) / sizeof(*waits);
	struct world *world = *state;

	for (size_t i = 0; i < count; i++)
		sample(world, world->f,
		       (fixture_pc(7) + 2) |
			       wire_sample_blocked(waits[i].wait));
	read_all(world);
	for (size_t i = 0; i < count; i++)
		assert_wait(world, waits[i].wait, waits[i].name);
	assert_int_equal(world->session.tree.spot_count, count);
	session_close(&world->session);
}

static void a_sample_that_grew_counts_its_looks(void **state)
{
	struct world *world = *state;
	const struct tree_node *node;

	fixture_sample(&world->fixture, 0, world->f, WIRE_SAMPLE_BLOCKED,
		       5000000 + 4 * WIRE_WEIGHT_LOOK);
	sample(world, world->f, WIRE_SAMPLE_BLOCKED);
	read_all(world);
	node = NODE(world, F(1), F(2), FUNCTION_BLOCKED);
	assert_int_equal(node->self.samples, 6);
	assert_int_equal(node->self.ns, 5001000);
	assert_int_equal(world->session.summary.samples, 6);
	assert_int_equal(samples_taken(&world->session.recording), 6);
	session_close(&world->session);
}

/* A line that is not known is the function's; time without a pc is not lost. */
static void lines_add_up(void **state)
{
	struct world *world = *state;
	uint64_t sum = 0;
	struct flat flat;

	sample(world, world->f, fixture_pc(2) + 3);
	sample(world, world->f,
	       (fixture_pc(2) + 3) | wire_sample_blocked(WIRE_WAIT_CALL));
	sample(world, world->f, wire_sample_blocked(WIRE_WAIT_PROCESSOR));
	sample(world, world->g, 0);
	read_all(world);
	flat_init_lines(&flat, &world->session.tree, &world->session.catalog);
	assert_int_equal(flat.count, 4);
	for (size_t i = 0; i < flat.count; i++)
		sum += flat.rows[i].self.ns;
	assert_int_equal(sum, world->session.summary.time_ns);
	flat_fini(&flat);
	session_close(&world->session);
}

static void what_clew_took_is_no_time_of_the_program(void **state)
{
	struct world *world = *state;

	sample(world, world->f, fixture_pc(2));
	sample(world, world->f, 0x30000000 | WIRE_SAMPLE_CLEW);
	read_all(world);
	assert_null(NODE(world, F(1), F(2), FUNCTION_CLEW));
	assert_int_equal(world->session.summary.time_ns, 1000);
	assert_int_equal(world->session.summary.samples, 1);
	assert_int_equal(world->session.summary.clew_ns, 1000);
	assert_int_equal(world->session.summary.clew_samples, 1);
	session_close(&world->session);
}

static void an_unknown_id_is_said_to_be_that(void **state)
{
	struct world *world = *state;

	sample(world, 0x1234567, fixture_pc(7));
	read_all(world);
	assert_samples(
		NODE(world, FUNCTION_UNKNOWN_CALLER, FUNCTION_UNKNOWN, F(7)),
		1);
	session_close(&world->session);
}

static void samples_can_be_left_out(void **state)
{
	struct world *world = *state;

	sample(world, world->f, fixture_pc(2));
	read_as(world, &(struct whose){ .without_time = 1 });
	assert_samples(NODE(world, F(1), F(2)), 0);
	session_close(&world->session);
}

static void a_module_that_went_is_found_by_its_time(void **state)
{
	struct world *world = *state;
	struct wire_header *header = fixture_header(&world->fixture);
	struct wire_module *module;

	/* One tick is a nanosecond: the samples are at 1001 and 1002. */
	header->first = (struct wire_moment){ .tsc = 0, .ns = 0 };
	header->latest = (struct wire_moment){ .tsc = 100, .ns = 100 };
	header->start_ns = 1000;
	module = fixture_module(&world->fixture, "/lib/first", 9, 4);
	module->base = 0x20000000;
	module->unloaded_ns = 1002;
	module = fixture_module(&world->fixture, "/lib/second", 13, 4);
	module->base = 0x20000000;
	module->loaded_ns = 1002;
	sample(world, world->f, 0x20001000);
	sample(world, world->f, 0x20001000);
	read_all(world);
	assert_samples(NODE(world, F(1), F(2), F(9)), 1);
	assert_samples(NODE(world, F(1), F(2), F(13)), 1);
	session_close(&world->session);
}

static void a_call_site_is_kept(void **state)
{
	struct world *world = *state;
	const struct catalog_site *site;

	fixture_last_context(&world->fixture, 0)->site = fixture_pc(2) + 7;
	read_all(world);
	site = &world->session.catalog
			.sites[NODE(world, F(1), F(2), F(4))->site];
	assert_int_equal(site->vaddr, 0x1000 + 16 + 7);
	assert_int_equal(site->module, 0);
	assert_int_equal(NODE(world, F(1), F(2))->site, 0);
	session_close(&world->session);
}

static void add_second_thread(struct world *world)
{
	fixture_thread(&world->fixture, 101, "worker", 1);
	fixture_tally(&world->fixture, 1, 0, 0);
	fixture_context(&world->fixture, 1, ID_ROOT, 1, 7);
	fixture_sample(&world->fixture, 1, world->main, fixture_pc(1), 1000);
}

static void threads_can_be_told_apart(void **state)
{
	struct world *world = *state;
	struct catalog *catalog = &world->session.catalog;
	uint32_t first, second;

	sample(world, world->f, fixture_pc(2));
	add_second_thread(world);
	read_as(world, &(struct whose){ .grouping = GROUP_THREAD });
	first = catalog_named(catalog, KIND_GROUP, CATALOG_NO_MODULE,
			      "main (100)");
	second = catalog_named(catalog, KIND_GROUP, CATALOG_NO_MODULE,
			       "worker (101)");
	assert_samples(NODE(world, first, F(1), F(2)), 1);
	assert_int_equal(NODE(world, first, F(1))->self.calls, 1);
	assert_samples(NODE(world, second, F(1)), 1);
	assert_int_equal(NODE(world, second, F(1))->self.calls, 7);
	assert_null(NODE(world, second, F(1), F(2)));
	assert_int_equal(world->session.summary.calls, 38);
	session_close(&world->session);
}

static void a_timeline_has_each_sample(void **state)
{
	struct world *world = *state;
	const struct timeline *timeline = &world->session.timeline;

	fixture_header(&world->fixture)->latest =
		(struct wire_moment){ .tsc = 100, .ns = 100 };
	sample(world, world->f, fixture_pc(2));
	add_second_thread(world);
	sample(world, world->g, fixture_pc(3));
	read_as(world, &(struct whose){ .with_timeline = 1 });
	assert_int_equal(timeline->count, 3);
	assert_int_equal(timeline->thread_count, 2);
	/* Threads follow each other, in whatever order they wrote. */
	assert_int_equal(timeline->samples[0].thread,
			 timeline->samples[1].thread);
	assert_int_equal(timeline->threads[timeline->samples[2].thread].tid,
			 101);
	assert_ptr_equal(&world->session.tree.nodes[timeline->samples[1].node],
			 NODE(world, F(1), F(3)));
	assert_int_equal(timeline->samples[1].weight_ns, 1000);
	session_close(&world->session);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_sample_in_the_leaf_is_its_own),
		TEST(who_is_leaving_is_back_in_the_caller),
		TEST(who_is_entering_is_in_the_callee),
		TEST(behind_a_tail_call_is_the_sibling),
		TEST(code_that_is_not_hooked_gets_a_node),
		TEST(code_of_no_symbol_is_named_after_its_module),
		TEST(flags_become_nodes),
		TEST(code_is_that_which_was_there_at_the_time),
		TEST(told_code_has_lines_and_inlined_methods),
		TEST(objects_with_code_may_overlap),
		TEST(code_without_a_name_is_its_makers),
		TEST(who_has_jumped_is_further_out),
		TEST(what_is_not_hooked_is_no_caller),
		TEST(it_is_counted_how_native_code_is_found),
		TEST(it_is_counted_how_dynamic_code_is_found),
		TEST(java_is_looked_for_in_its_context_first),
		TEST(a_wait_is_named_by_its_reason),
		TEST(a_sample_that_grew_counts_its_looks),
		TEST(lines_add_up),
		TEST(what_clew_took_is_no_time_of_the_program),
		TEST(an_unknown_id_is_said_to_be_that),
		TEST(samples_can_be_left_out),
		TEST(a_module_that_went_is_found_by_its_time),
		TEST(a_call_site_is_kept),
		TEST(threads_can_be_told_apart),
		TEST(a_timeline_has_each_sample),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
