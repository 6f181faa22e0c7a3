/* SPDX-License-Identifier: MIT */
/* Tests of samples in generated code, mainly of Java. */
#include "tests/unit/unit.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "report/merge/merged_samples.h"
#include "report/model/announced_lines.h"
#include "tests/unit/sampled.h"
#include "wire/id.h"

static uint32_t generated(struct sampled_world *world, const char *name)
{
	return catalog_named(&world->session.catalog, KIND_GENERATED,
			     CATALOG_NO_MODULE, name);
}

/* Samples are at the times 1, 2, 3 ...; the clock is not known. */
static void code_is_named_by_its_time(void **state)
{
	struct sampled_world *world = *state;

	fixture_code(&world->fixture, 0x30000000, 0x100, 2, "one");
	fixture_code(&world->fixture, 0x30000000, 0, 4, NULL);
	fixture_code(&world->fixture, 0x2ffffff0, 0x20, 5, "Interpreter");
	fixture_code(&world->fixture, 0x20000000, 0, 5, NULL);
	fixture_code(&world->fixture, 0x40000000, 0, 5, "empty");
	for (int i = 0; i < 6; i++)
		sampled_add(world, world->f, 0x30000008);
	sampled_read(world);
	sampled_assert(world, NODE(world, F(1), F(2), FUNCTION_GENERATED), 2);
	sampled_assert(world, NODE(world, F(1), F(2), generated(world, "one")),
		       2);
	sampled_assert(
		world,
		NODE(world, F(1), F(2), generated(world, "(interpreter)")), 2);
	session_close(&world->session);
}

/*
 * Executable memory belongs to the module that made it executable. The owner
 * changes when another module does so, when the memory is unmapped, or when the
 * owner is unknown. Memory that this code makes executable has the same owner.
 */
static void code_without_a_name_is_named_by_its_maker(void **state)
{
	struct sampled_world *world = *state;
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
		sampled_add(world, world->f, 0x30000008);
	sampled_read(world);
	sampled_assert(world, NODE(world, F(1), F(2), FUNCTION_GENERATED), 4);
	sampled_assert(world,
		       NODE(world, F(1), F(2), generated(world, plainly)), 4);
	sampled_assert(world, NODE(world, F(1), F(2), generated(world, named)),
		       3);
	session_close(&world->session);
}

/*
 * V8 maps its own file again. If clew had mapped a hooked copy over the file's
 * text, V8 maps that copy in clew's cache.
 */
static void files_of_the_cache_name_no_code(void **state)
{
	struct sampled_world *world = *state;

	fixture_maker(&world->fixture, 0x30000000, 0x30002000,
		      FIXTURE_MODULE_BASE + 0x1000, 1, 0,
		      "ebeaf2df00112233-0.hooked");
	sampled_add(world, world->f, 0x30000008);
	sampled_add(world, world->f, 0x30000009);
	sampled_read(world);
	sampled_assert(world,
		       NODE(world, F(1), F(2),
			    generated(world, "(generated code of app)")),
		       2);
	session_close(&world->session);
}

/*
 * V8 maps its own file again: the code belongs to the module until the memory
 * is unmapped.
 */
static void code_mapped_from_a_module_has_the_modules_names(void **state)
{
	struct sampled_world *world = *state;
	const uint64_t pc = fixture_pc(5), start = 0x30000000;

	fixture_maker(&world->fixture, start, start + 0x1000, pc, 1, 4, "app");
	fixture_mapped_code(&world->fixture, start, 1, pc);
	/* These are in memory without a known maker. */
	fixture_mapped_code(&world->fixture, start, 2, pc + 16);
	fixture_mapped_code(&world->fixture, start + 16, 1, pc + 16);
	/* No module is loaded from this file. */
	fixture_maker(&world->fixture, start + 0x1000, start + 0x2000, pc, 1, 0,
		      "other");
	fixture_mapped_code(&world->fixture, start + 0x1000, 1, 0);
	/* The module has no code at this offset. */
	fixture_maker(&world->fixture, start + 0x2000, start + 0x3000, pc, 1, 0,
		      "");
	fixture_mapped_code(&world->fixture, start + 0x2000, 1, UINT64_MAX);
	for (int i = 0; i < 4; i++)
		sampled_add(world, world->f, start + 8);
	sampled_add(world, world->f, start + 0x1008);
	sampled_add(world, world->f, start + 0x2008);
	sampled_read(world);
	sampled_assert(world, NODE(world, F(1), F(2), F(5)), 3);
	sampled_assert(world, NODE(world, F(1), F(2), FUNCTION_GENERATED), 1);
	sampled_assert(world,
		       NODE(world, F(1), F(2),
			    generated(world, "(generated code of app, other)")),
		       1);
	sampled_assert(world,
		       NODE(world, F(1), F(2),
			    generated(world, "(generated code of app)")),
		       1);
	session_close(&world->session);
}

/*
 * inner() is inlined into the code up to offset 8. The rest has no line
 * information.
 */
static void announced_code_has_lines_and_inlined_methods(void **state)
{
	static const struct wire_line lines[] = { { 0, 20 }, { 3, 21 } };
	static const uint8_t bytes[] = { 8, 2, 0, 1, 0, 0, 4, 1 };
	struct sampled_world *world = *state;
	const struct catalog *catalog = &world->session.catalog;
	const struct tree_spot *spot;
	const char *file;
	uint32_t line, inlined;

	fixture_range(&world->fixture, WIRE_RANGE_JAVA, 4096, 4096);
	fixture_method(&world->fixture, 4096, WIRE_JAVA_NAMED, "LA;", "inner",
		       "()V");
	fixture_source(&world->fixture, 4096, "A.java", lines, 2);
	fixture_code(&world->fixture, 0x30000000, 0x100, 1, "one");
	fixture_code_lines(&world->fixture, 0x30000000, 1, 4096, bytes,
			   sizeof(bytes));
	sampled_add(world, world->f, 0x30000008);
	sampled_add(world, world->f, 0x30000009);
	sampled_read(world);
	sampled_assert(world, NODE(world, F(1), F(2), generated(world, "one")),
		       2);
	assert_int_equal(world->session.tree.spot_count, 1);
	spot = &world->session.tree.spots[0];
	assert_int_equal(spot->samples, 1);
	assert_int_equal(announced_function(catalog, spot->site),
			 generated(world, "one"));
	assert_true(announced_site_place(catalog, spot->site, &file, &line));
	assert_string_equal(file, "A.java");
	assert_int_equal(line, 21);
	session_inline(&world->session);
	inlined = catalog_named(&world->session.catalog, KIND_INLINED,
				CATALOG_NO_MODULE, "A.inner()");
	sampled_assert(world, NODE(world, F(1), F(2), generated(world, "one")),
		       1);
	sampled_assert(
		world,
		NODE(world, F(1), F(2), generated(world, "one"), inlined), 1);
	session_close(&world->session);
}

/*
 * "over" is registered above "under", which is then removed. "over" names the
 * code until it is removed.
 */
static void objects_with_code_may_overlap(void **state)
{
	struct sampled_world *world = *state;

	fixture_registered(&world->fixture, 0x30000000, 1, 2, "under");
	fixture_registered(&world->fixture, 0x30000000, 3, 3, "over");
	fixture_registered(&world->fixture, 0x30000000, 1, 4, NULL);
	fixture_registered(&world->fixture, 0x30000000, 3, 6, NULL);
	for (int i = 0; i < 6; i++)
		sampled_add(world, world->f, 0x30000008);
	sampled_read(world);
	sampled_assert(world, NODE(world, F(1), F(2), FUNCTION_GENERATED), 2);
	sampled_assert(world,
		       NODE(world, F(1), F(2), generated(world, "under")), 1);
	sampled_assert(world, NODE(world, F(1), F(2), generated(world, "over")),
		       3);
	session_close(&world->session);
}

/* Writes a perf map to the location where `clew record` stores it. */
static void announce(struct sampled_world *world, const char *text)
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

/*
 * Names from a perf map have no time. The maker of the memory is the least
 * precise name.
 */
static void sources_of_generated_code_names_are_counted(void **state)
{
	const uint64_t module_pc = FIXTURE_MODULE_BASE + 0x1000;
	struct sampled_world *world = *state;
	const uint64_t *dynamic = world->session.summary.places.dynamic;

	fixture_code(&world->fixture, 0x30000000, 0x100, 1, "told");
	fixture_maker(&world->fixture, 0x30000000, 0x30002000, module_pc, 1, 0,
		      "");
	announce(world, "30000000 1000 mapped\n");
	for (uint64_t pc = 0x30000008; pc < 0x30003000; pc += 0x1000)
		sampled_add(world, world->f, pc);
	sampled_add(world, ID_ROOT, 0x30001008);
	sampled_add(world, world->f, 0x30000208);
	sampled_read(world);
	sampled_assert(world, NODE(world, F(1), F(2), generated(world, "told")),
		       1);
	sampled_assert(world,
		       NODE(world, F(1), F(2), generated(world, "mapped")), 1);
	assert_int_equal(dynamic[PLACE_TIMED], 1);
	assert_int_equal(dynamic[PLACE_NEWEST], 1);
	assert_int_equal(dynamic[PLACE_MAKER], 2);
	assert_int_equal(dynamic[PLACE_UNKNOWN], 1);
	assert_int_equal(sample_places_sum(dynamic), 5);
	session_close(&world->session);
}

static uint32_t java(struct sampled_world *world, const char *name)
{
	return catalog_named(&world->session.catalog, KIND_JAVA,
			     CATALOG_NO_MODULE, name);
}

/*
 * Adds contexts of Java methods below `caller`: a, b and c call each other, c
 * has called d, and b has called e.
 */
static uint64_t make_java(struct fixture *fixture, uint64_t caller)
{
	static const uint32_t inner[] = { 4096, 4097, 4098 };
	static const uint32_t callee[] = { 4099 };
	static const uint32_t sibling[] = { 4096, 4097, 4100 };
	uint64_t c;

	fixture_range(fixture, WIRE_RANGE_JAVA, 4096, 4096);
	fixture_method(fixture, 4096, WIRE_JAVA_NAMED, "LA;", "a", "()V");
	fixture_method(fixture, 4097, WIRE_JAVA_NAMED, "LA;", "b", "()V");
	fixture_method(fixture, 4098, WIRE_JAVA_NAMED, "LA;", "c", "()V");
	fixture_method(fixture, 4099, WIRE_JAVA_NAMED, "LA;", "d", "()V");
	fixture_method(fixture, 4100, WIRE_JAVA_NAMED, "LA;", "e", "()V");
	fixture_java_code(fixture, 0x30000000, 1, "a");
	fixture_java_code(fixture, 0x30001000, 1, "b");
	fixture_java_code(fixture, 0x30002000, 1, "c");
	fixture_java_code(fixture, 0x30003000, 1, "d");
	fixture_java_code(fixture, 0x30004000, 1, "e");
	fixture_java_code(fixture, 0x30005000, 1, "f");
	fixture_range(fixture, WIRE_RANGE_JAVA_STACK, 8192, 4096);
	fixture_stack(fixture, 8192, inner, NULL,
		      sizeof(inner) / sizeof(*inner));
	fixture_stack(fixture, 8193, callee, NULL,
		      sizeof(callee) / sizeof(*callee));
	fixture_stack(fixture, 8194, sibling, NULL,
		      sizeof(sibling) / sizeof(*sibling));
	c = fixture_context(fixture, 0, caller, 8192, 0);
	fixture_context(fixture, 0, c, 8193, 0);
	fixture_context(fixture, 0, caller, 8194, 0);
	return c;
}

/*
 * A name is searched where Java is innermost, and below native code among the
 * methods that it called.
 */
static void java_code_is_searched_in_its_context_first(void **state)
{
	struct sampled_world *world = *state;
	const uint64_t *dynamic = world->session.summary.places.dynamic;
	const uint64_t c = make_java(&world->fixture, world->f);
	const uint64_t native = fixture_context(&world->fixture, 0, c, 3, 1);
	uint32_t path[7];

	fixture_context(&world->fixture, 0, native, 8193, 0);
	for (uint64_t i = 0; i < 6; i++)
		sampled_add(world, c, 0x30000008 + i * 0x1000);
	sampled_add(world, native, 0x30002008);
	sampled_add(world, native, 0x30003008);
	sampled_read(world);
	memcpy(path,
	       (uint32_t[]){ F(1), F(2), java(world, "A.a()"),
			     java(world, "A.b()"), java(world, "A.c()"), 0, 0 },
	       sizeof(path));
	path[3] = 0;
	sampled_assert(world, sampled_node(&world->session, path), 1);
	path[3] = java(world, "A.b()");
	path[4] = 0;
	sampled_assert(world, sampled_node(&world->session, path), 1);
	path[4] = java(world, "A.e()");
	sampled_assert(world, sampled_node(&world->session, path), 1);
	path[4] = java(world, "A.c()");
	sampled_assert(world, sampled_node(&world->session, path), 1);
	path[5] = java(world, "A.d()");
	sampled_assert(world, sampled_node(&world->session, path), 1);
	path[5] = java(world, "A.f()");
	sampled_assert(world, sampled_node(&world->session, path), 1);
	sampled_assert(world,
		       NODE(world, path[0], path[1], path[2], path[3], path[4],
			    F(3), java(world, "A.c()")),
		       1);
	sampled_assert(world,
		       NODE(world, path[0], path[1], path[2], path[3], path[4],
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

#define TEST(name)                                                             \
	cmocka_unit_test_setup_teardown(name, sampled_set_up, sampled_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(code_is_named_by_its_time),
		TEST(code_without_a_name_is_named_by_its_maker),
		TEST(code_mapped_from_a_module_has_the_modules_names),
		TEST(files_of_the_cache_name_no_code),
		TEST(announced_code_has_lines_and_inlined_methods),
		TEST(objects_with_code_may_overlap),
		TEST(sources_of_generated_code_names_are_counted),
		TEST(java_code_is_searched_in_its_context_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
