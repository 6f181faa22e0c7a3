/* SPDX-License-Identifier: MIT */
/* Tests of functions without a module: their names, Java stacks and lines. */
#include "tests/unit/unit.h"

#include <stdio.h>
#include <string.h>

#include "report/model/announced_lines.h"
#include "tests/unit/made.h"
#include "wire/id.h"

#define NAME_BYTES 64

static const struct whose everybody;

/* A name may precede its range, as records may be in any order. */
static void a_function_may_have_a_name_alone(void **state)
{
	struct made_world *world = *state;
	struct catalog *catalog = &world->session.catalog;
	uint32_t java, made;
	struct fixture fixture;
	uint64_t a;

	made_begin(&fixture, 100);
	fixture_method(&fixture, 4097, WIRE_JAVA_NAMED, "Lcom/acme/Foo;", "bar",
		       "(I)V");
	fixture_range(&fixture, WIRE_RANGE_JAVA, 4096, 4096);
	fixture_range(&fixture, WIRE_RANGE_GENERATED, 1U << 31, 2);
	FIXTURE_NAME(&fixture, (1U << 31) + 1, "made");
	a = fixture_context(&fixture, 0, ID_ROOT, 4097, 1);
	a = fixture_context(&fixture, 0, a, 3, 10);
	fixture_context(&fixture, 0, a, (1U << 31) + 1, 100);
	made_assert_problem(world, &fixture, WIRE_ENDED, NULL);
	fixture_save_part(&fixture, world->directory);
	made_read(world, &everybody);
	java = catalog_named(catalog, KIND_JAVA, CATALOG_NO_MODULE,
			     "com.acme.Foo.bar(int)");
	made = catalog_named(catalog, KIND_GENERATED, CATALOG_NO_MODULE,
			     "made");
	assert_int_equal(
		node_below(&world->session.tree,
			   made_child(&world->session, TREE_ROOT, java))
			.calls,
		111);
	assert_int_equal(world->session.tree.nodes[3].function, made);
	assert_int_equal(world->session.tree.nodes[3].calls, 100);
	session_close(&world->session);
	fixture_fini(&fixture);
}

#define LEFT_MANY 20000

/* The catalog must grow several times, which moves its items. */
static void methods_without_counts_may_be_many(void **state)
{
	struct made_world *world = *state;
	const struct catalog *catalog = &world->session.catalog;
	char name[NAME_BYTES];
	uint32_t left = 0;
	struct fixture fixture;

	made_begin(&fixture, 100);
	fixture_range(&fixture, WIRE_RANGE_JAVA_LEFT, 1U << 20, LEFT_MANY);
	for (uint32_t i = 0; i < LEFT_MANY; i++) {
		snprintf(name, sizeof(name), "m%u", i);
		fixture_method(&fixture, (1U << 20) + i, WIRE_JAVA_SMALL, "LA;",
			       name, "()V");
	}
	made_end(world, &fixture);
	made_read(world, &everybody);
	for (uint32_t i = 0; i < catalog->function_count; i++)
		left += catalog->functions[i].java_left == WIRE_JAVA_SMALL;
	assert_int_equal(left, LEFT_MANY);
	session_close(&world->session);
}

/*
 * A stack of methods counts as one function and becomes a branch of the tree.
 */
static void a_stack_is_its_methods_below_each_other(void **state)
{
	static const uint32_t whole[] = { 4097, 4098, 4097 };
	static const uint32_t cut[] = { WIRE_STACK_CUT, 4098 };
	struct made_world *world = *state;
	struct catalog *catalog = &world->session.catalog;
	const struct tree_node *node;
	uint32_t one, two, more;
	struct fixture fixture;
	uint64_t a;

	made_begin(&fixture, 100);
	fixture_range(&fixture, WIRE_RANGE_JAVA, 4096, 4096);
	fixture_method(&fixture, 4097, WIRE_JAVA_NAMED, "LA;", "one", "()V");
	fixture_method(&fixture, 4098, WIRE_JAVA_NAMED, "LA;", "two", "()V");
	fixture_range(&fixture, WIRE_RANGE_JAVA_STACK, 8192, 4096);
	fixture_stack(&fixture, 8193, whole, NULL, 3);
	fixture_stack(&fixture, 8194, cut, NULL, 2);
	a = fixture_context(&fixture, 0, ID_ROOT, 8193, 0);
	fixture_context(&fixture, 0, a, 3, 10);
	a = fixture_context(&fixture, 0, ID_ROOT, 8194, 0);
	fixture_context(&fixture, 0, a, 3, 100);
	made_assert_problem(world, &fixture, WIRE_ENDED, NULL);
	fixture_save_part(&fixture, world->directory);
	made_read(world, &everybody);
	one = catalog_named(catalog, KIND_JAVA, CATALOG_NO_MODULE, "A.one()");
	two = catalog_named(catalog, KIND_JAVA, CATALOG_NO_MODULE, "A.two()");
	more = catalog_named(catalog, KIND_JAVA, CATALOG_NO_MODULE,
			     "(more callers)");
	node = made_child(&world->session, TREE_ROOT, more);
	assert_int_equal(node_below(&world->session.tree, node).calls, 100);
	node = made_child(&world->session, TREE_ROOT, one);
	assert_int_equal(node_below(&world->session.tree, node).calls, 10);
	node = made_child(&world->session,
			  (uint32_t)(node - world->session.tree.nodes), two);
	node = made_child(&world->session,
			  (uint32_t)(node - world->session.tree.nodes), one);
	assert_int_equal(node_below(&world->session.tree, node).calls, 10);
	assert_int_equal(node_self(&world->session.tree, node).calls, 0);
	session_close(&world->session);
	fixture_fini(&fixture);
}

/*
 * Adds two stacks in which one() calls two() at its second line. two(), whose
 * table of lines is unsorted, calls the native at bytecode 9 in one stack and
 * at 2 in the other.
 */
static void make_lines(struct fixture *fixture)
{
	static const uint32_t stack[] = { 4097, 4098 };
	static const uint16_t calls[][2] = { { 5, 9 }, { 5, 2 } };
	static const struct wire_line one[] = { { 0, 10 }, { 5, 11 } };
	static const struct wire_line two[] = { { 8, 22 },
						{ 0, 20 },
						{ 4, 21 } };

	made_begin(fixture, 100);
	fixture_range(fixture, WIRE_RANGE_JAVA, 4096, 4096);
	fixture_method(fixture, 4097, WIRE_JAVA_NAMED, "LA;", "one", "()V");
	fixture_method(fixture, 4098, WIRE_JAVA_NAMED, "LA;", "two", "()V");
	fixture_source(fixture, 4097, "A.java", one, 2);
	fixture_range(fixture, WIRE_RANGE_JAVA_STACK, 8192, 4096);
	for (uint32_t i = 0; i < 2; i++) {
		uint64_t a;

		fixture_stack(fixture, 8192 + i, stack, calls[i], 2);
		a = fixture_context(fixture, 0, ID_ROOT, 8192 + i, 0);
		fixture_context(fixture, 0, a, 3, i ? 10 : 100);
	}
	fixture_source(fixture, 4098, "A.java", two, 3);
}

/*
 * Returns the child of a node for a Java method that begins and is called at
 * these lines.
 */
static uint32_t java_child(struct session *session, uint32_t parent,
			   const char *name, uint32_t begins, uint32_t called)
{
	struct catalog *catalog = &session->catalog;
	const uint32_t function =
		catalog_named(catalog, KIND_JAVA, CATALOG_NO_MODULE, name);
	const uint32_t node = tree_find(&session->tree, parent, function);
	const char *file = "";
	uint32_t line = 0;

	assert_int_not_equal(node, TREE_ROOT);
	assert_true(catalog_place(catalog, function, &file, &line));
	assert_string_equal(file, "A.java");
	assert_int_equal(line, begins);
	line = 0;
	announced_site_place(catalog, session->tree.nodes[node].site, &file,
			     &line);
	assert_int_equal(line, called);
	return node;
}

/*
 * The lines of a stack's methods are shown; those of the innermost method
 * separate calls only on request.
 */
static void calls_have_their_recorded_lines(void **state)
{
	const struct whose by_line = { .by_line = 1 };
	struct made_world *world = *state;
	struct session *session = &world->session;
	struct fixture fixture;
	const char *file;
	uint32_t node, line;

	make_lines(&fixture);
	made_assert_problem(world, &fixture, WIRE_ENDED, NULL);
	fixture_save_part(&fixture, world->directory);
	made_read(world, &everybody);
	node = java_child(session, TREE_ROOT, "A.one()", 10, 0);
	node = java_child(session, node, "A.two()", 20, 11);
	assert_int_equal(session->tree.below[node], 110);
	assert_true(announced_site_place(&session->catalog,
					 session->tree.nodes[node + 1].site,
					 &file, &line));
	assert_int_equal(line, 22);
	session_close(session);
	made_read(world, &by_line);
	node = java_child(session, TREE_ROOT, "A.one()", 10, 0);
	assert_int_equal(session->tree.below[java_child(session, node,
							"A.two():22", 22, 11)],
			 100);
	assert_int_equal(session->tree.below[java_child(session, node,
							"A.two():20", 20, 11)],
			 10);
	session_close(session);
	fixture_fini(&fixture);
}

/* Writes records that are malformed in one field each. */
static void add_malformed(struct fixture *fixture)
{
	struct {
		struct wire_source source;
		struct wire_line line;
		char path[4];
	} source = {
		.source = { .head = { 4097, sizeof(source) },
			    .lines = 1,
			    .path_bytes = 4 },
		.path = "A.j",
	};
	struct {
		struct wire_method method;
		char texts[8];
	} method = {
		.method = { .head = { 4097, sizeof(method) },
			    .texts = { 4, 2, 2, 0 } },
		.texts = "LA;\0m\0v",
	};

	source.source.lines = UINT32_MAX;
	fixture_raw(fixture, WIRE_SOURCES, &source, sizeof(source));
	source.source.lines = 2;
	fixture_raw(fixture, WIRE_SOURCES, &source, sizeof(source));
	source.source.lines = 1;
	source.source.path_bytes = 5;
	fixture_raw(fixture, WIRE_SOURCES, &source, sizeof(source));
	source.source.path_bytes = 0;
	fixture_raw(fixture, WIRE_SOURCES, &source, sizeof(source));
	source.source.path_bytes = 3; /* no NUL */
	fixture_raw(fixture, WIRE_SOURCES, &source, sizeof(source));
	source.source.head.bytes = 8; /* less than the record */
	fixture_raw(fixture, WIRE_SOURCES, &source, sizeof(source));
	source.source.head.bytes = UINT32_MAX;
	fixture_raw(fixture, WIRE_SOURCES, &source, sizeof(source));
	method.method.texts.signature_bytes = 3;
	fixture_raw(fixture, WIRE_METHODS, &method, sizeof(method));
	method.method.texts.signature_bytes = 2;
	method.method.texts.name_bytes = 1; /* no NUL */
	fixture_raw(fixture, WIRE_METHODS, &method, sizeof(method));
}

/*
 * Malformed records, sources of a stack and of no number, and a source without
 * lines.
 */
static void malformed_methods_and_sources_are_harmless(void **state)
{
	static const uint32_t stack[] = { 4097 };
	struct fixture fixture;
	uint64_t a;

	made_begin(&fixture, 100);
	fixture_range(&fixture, WIRE_RANGE_JAVA, 4096, 4096);
	fixture_method(&fixture, 4097, WIRE_JAVA_NAMED, "LA;", "one", "()V");
	fixture_range(&fixture, WIRE_RANGE_JAVA_STACK, 8192, 4096);
	fixture_stack(&fixture, 8192, stack, NULL, 1);
	fixture_stack(&fixture, 8193, stack, NULL, 1);
	add_malformed(&fixture);
	fixture_source(&fixture, 4097, "A.java", NULL, 0);
	fixture_source(&fixture, 8192, "A.java", NULL, 0);
	fixture_source(&fixture, 0, "A.java", NULL, 0);
	for (uint32_t i = 8192; i <= 8193; i++) {
		a = fixture_context(&fixture, 0, ID_ROOT, i, 0);
		fixture_context(&fixture, 0, a, 3, 1);
	}
	made_assert_problem(*state, &fixture, WIRE_ENDED, NULL);
	fixture_fini(&fixture);
}

/*
 * The bindings are several for the module's second function, and one outside of
 * modules.
 */
static void a_native_method_has_its_own_name(void **state)
{
	struct made_world *world = *state;
	struct catalog *catalog = &world->session.catalog;
	struct fixture fixture;
	uint32_t function;

	made_begin(&fixture, 100);
	fixture_binding(&fixture, FIXTURE_MODULE_BASE + 0x1010, "f");
	fixture_binding(&fixture, FIXTURE_MODULE_BASE + 0x1010, "other");
	fixture_binding(&fixture, FIXTURE_MODULE_BASE + 0x1010, "f");
	fixture_binding(&fixture, 0x10, "lost");
	fixture_context(&fixture, 0, ID_ROOT, 2, 10);
	fixture_save_part(&fixture, world->directory);
	made_read(world, &everybody);
	function = world->session.tree.nodes[1].function;
	assert_string_equal(catalog_name(catalog, function),
			    "a.B.f(int) / a.B.other(int)");
	assert_int_equal(catalog_kind(catalog, function), KIND_JNI);
	session_close(&world->session);
	fixture_fini(&fixture);
}

#define TEST(name)                                                             \
	cmocka_unit_test_setup_teardown(name, made_set_up, made_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_function_may_have_a_name_alone),
		TEST(methods_without_counts_may_be_many),
		TEST(a_stack_is_its_methods_below_each_other),
		TEST(calls_have_their_recorded_lines),
		TEST(malformed_methods_and_sources_are_harmless),
		TEST(a_native_method_has_its_own_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
