/* SPDX-License-Identifier: MIT */
#include "tests/unit/unit.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "report/model/told_lines.h"
#include "report/view/session.h"
#include "tests/unit/fixture.h"
#include "wire/id.h"

/* A recording that is being made, and then read. */
struct world {
	char *directory;
	struct session session;
};

static const struct whose everybody;

static int set_up(void **state)
{
	struct world *world = calloc(1, sizeof(*world));

	world->directory = fixture_directory();
	*state = world;
	return 0;
}

static int tear_down(void **state)
{
	struct world *world = *state;

	fixture_remove(world->directory);
	free(world);
	return 0;
}

/* A process with functions 1 to 8 and tally 0. */
static void begin(struct fixture *fixture, uint32_t pid)
{
	fixture_init(fixture, pid, 0);
	fixture_module(fixture, "/lib/app", 1, 8);
	fixture_thread(fixture, pid, "main", 0);
	fixture_tally(fixture, 0, 0, 0);
}

static void end(struct world *world, struct fixture *fixture)
{
	fixture_save_part(fixture, world->directory);
	fixture_fini(fixture);
}

static void read_as(struct world *world, const struct whose *whose)
{
	char *why;

	assert_int_equal(
		session_open(&world->session, world->directory, whose, &why),
		0);
}

/* The node that a chain of function numbers, ended by 0, leads to. */
static const struct tree_node *node_at(const struct session *session,
				       const uint32_t *functions)
{
	uint32_t at = TREE_ROOT;

	for (; *functions; functions++) {
		uint32_t function = FUNCTION_FIRST + *functions - 1;
		const uint64_t *child = idmap_find(
			&session->tree.children, (uint64_t)at << 32 | function);

		if (!child)
			return NULL;
		at = (uint32_t)*child;
	}
	return &session->tree.nodes[at];
}

#define NODE(session, ...)                                                     \
	node_at(session, (const uint32_t[]){ __VA_ARGS__, 0 })

static const struct tree_node *special_child(const struct session *session,
					     uint32_t parent, uint32_t function)
{
	const uint64_t *child = idmap_find(&session->tree.children,
					   (uint64_t)parent << 32 | function);

	return child ? &session->tree.nodes[*child] : NULL;
}

static void a_context_hangs_below_its_caller(void **state)
{
	struct world *world = *state;
	struct fixture fixture;
	uint64_t a, b;

	begin(&fixture, 100);
	a = fixture_context(&fixture, 0, ID_ROOT, 1, 1);
	b = fixture_context(&fixture, 0, a, 2, 10);
	fixture_context(&fixture, 0, b, 3, 100);
	fixture_context(&fixture, 0, a, 3, 1000);
	end(world, &fixture);
	read_as(world, &everybody);
	assert_int_equal(NODE(&world->session, 1)->self.calls, 1);
	assert_int_equal(NODE(&world->session, 1)->below.calls, 1111);
	assert_int_equal(NODE(&world->session, 1, 2)->below.calls, 110);
	assert_int_equal(NODE(&world->session, 1, 2, 3)->self.calls, 100);
	assert_int_equal(NODE(&world->session, 1, 3)->self.calls, 1000);
	assert_int_equal(NODE(&world->session, 1, 3)->depth, 2);
	assert_int_equal(world->session.summary.contexts, 4);
	session_close(&world->session);
}

static void tallies_of_a_process_add_up(void **state)
{
	struct world *world = *state;
	struct fixture fixture;
	uint64_t a;

	begin(&fixture, 100);
	fixture_tally(&fixture, 1, 0, 0);
	a = fixture_context(&fixture, 0, ID_ROOT, 1, 1);
	fixture_context(&fixture, 0, a, 2, 10);
	fixture_context(&fixture, 1, ID_ROOT, 1, 2);
	fixture_context(&fixture, 1, a, 2, 20);
	end(world, &fixture);
	read_as(world, &everybody);
	assert_int_equal(NODE(&world->session, 1)->self.calls, 3);
	assert_int_equal(NODE(&world->session, 1, 2)->self.calls, 30);
	assert_int_equal(world->session.summary.contexts, 2);
	session_close(&world->session);
}

/* The second process has another module first, so all its numbers differ. */
static void processes_add_up_by_function(void **state)
{
	struct world *world = *state;
	struct fixture fixture;
	uint64_t a;

	begin(&fixture, 100);
	a = fixture_context(&fixture, 0, ID_ROOT, 1, 1);
	fixture_context(&fixture, 0, a, 2, 10);
	end(world, &fixture);
	fixture_init(&fixture, 101, 0);
	fixture_module(&fixture, "/lib/other", 1, 5);
	fixture_module(&fixture, "/lib/app", 6, 8);
	fixture_tally(&fixture, 0, 0, 0);
	a = fixture_context(&fixture, 0, ID_ROOT, 6, 2);
	fixture_context(&fixture, 0, a, 7, 20);
	end(world, &fixture);
	read_as(world, &everybody);
	assert_int_equal(NODE(&world->session, 1)->self.calls, 3);
	assert_int_equal(NODE(&world->session, 1, 2)->self.calls, 30);
	assert_int_equal(world->session.summary.processes, 2);
	assert_int_equal(world->session.catalog.module_count, 2);
	session_close(&world->session);
}

static void a_build_id_is_stronger_than_a_path(void **state)
{
	struct world *world = *state;
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
		end(world, &fixture);
	}
	read_as(world, &everybody);
	assert_int_equal(world->session.catalog.module_count, 2);
	assert_int_equal(NODE(&world->session, 1)->self.calls, 2);
	session_close(&world->session);
}

static void a_retired_table_still_counts(void **state)
{
	struct world *world = *state;
	struct fixture fixture;
	uint64_t a;

	begin(&fixture, 100);
	a = fixture_context(&fixture, 0, ID_ROOT, 1, 3);
	fixture_retire(&fixture, 0);
	fixture_count(&fixture, 0, a, 40);
	end(world, &fixture);
	read_as(world, &everybody);
	assert_int_equal(NODE(&world->session, 1)->self.calls, 43);
	session_close(&world->session);
}

static void a_table_that_nobody_refers_to_does_not_count(void **state)
{
	struct world *world = *state;
	struct fixture fixture;
	uint64_t a;

	begin(&fixture, 100);
	a = fixture_context(&fixture, 0, ID_ROOT, 1, 3);
	fixture_retire(&fixture, 0);
	fixture_count(&fixture, 0, a, 40);
	fixture_retire(&fixture, 0);
	fixture_count(&fixture, 0, a, 500);
	end(world, &fixture);
	read_as(world, &everybody);
	assert_int_equal(NODE(&world->session, 1)->self.calls, 540);
	session_close(&world->session);
}

static void folded_calls_stand_below_their_ancestor(void **state)
{
	struct world *world = *state;
	struct fixture fixture;
	const struct tree_node *folded;
	uint64_t a;

	begin(&fixture, 100);
	a = fixture_context(&fixture, 0, ID_ROOT, 1, 1);
	fixture_context(&fixture, 0, a, WIRE_FOLDED, 77);
	end(world, &fixture);
	read_as(world, &everybody);
	folded = special_child(&world->session,
			       (uint32_t)(NODE(&world->session, 1) -
					  world->session.tree.nodes),
			       FUNCTION_FOLDED);
	assert_non_null(folded);
	assert_int_equal(folded->self.calls, 77);
	session_close(&world->session);
}

static void an_unrecorded_caller_is_unknown(void **state)
{
	struct world *world = *state;
	struct fixture fixture;
	const struct tree_node *unknown;

	begin(&fixture, 100);
	fixture_context(&fixture, 0, 0x1234567, 1, 5);
	end(world, &fixture);
	read_as(world, &everybody);
	unknown = special_child(&world->session, TREE_ROOT,
				FUNCTION_UNKNOWN_CALLER);
	assert_non_null(unknown);
	assert_int_equal(unknown->self.calls, 0);
	assert_int_equal(unknown->below.calls, 5);
	session_close(&world->session);
}

static void counts_without_a_context_are_strays(void **state)
{
	struct world *world = *state;
	struct fixture fixture;

	begin(&fixture, 100);
	fixture_context(&fixture, 0, ID_ROOT, 1, 1);
	fixture_count(&fixture, 0, 0x1234567, 6);
	end(world, &fixture);
	read_as(world, &everybody);
	assert_int_equal(world->session.summary.strays, 6);
	assert_int_equal(world->session.summary.calls, 7);
	session_close(&world->session);
}

/* An id that is its own caller: x == id_push(x, id_key(f)), found by search. */
#define CIRCLE          UINT64_C(0xd097f1762b67b1a6)
#define CIRCLE_FUNCTION 0xf54c8960

static void a_circle_of_callers_ends(void **state)
{
	struct world *world = *state;
	struct fixture fixture;

	begin(&fixture, 100);
	assert_int_equal(
		fixture_context(&fixture, 0, CIRCLE, CIRCLE_FUNCTION, 11),
		CIRCLE);
	end(world, &fixture);
	read_as(world, &everybody);
	assert_int_equal(world->session.summary.calls, 11);
	session_close(&world->session);
}

/* ---- What cannot be ---- */

/* The only problem that reading this brings up, or NULL. To be freed. */
static char *problem_of(struct world *world, struct fixture *fixture)
{
	const struct recording *recording = &world->session.recording;
	char *problem = NULL;

	end(world, fixture);
	read_as(world, &everybody);
	assert_in_range(recording->problem_count, 0, 1);
	if (recording->problem_count > 0)
		problem = memory_printf("%s", recording->problems[0]);
	session_close(&world->session);
	return problem;
}

/* In each state that a part may be in. */
static void assert_problem(struct world *world, const struct fixture *fixture,
			   enum wire_state state, const char *words)
{
	struct fixture copy = { .size = fixture->size };
	char *problem;

	copy.bytes = memory_zeroed(copy.size, 1);
	memcpy(copy.bytes, fixture->bytes, copy.size);
	fixture_header(&copy)->state = state;
	problem = problem_of(world, &copy);
	if (words) {
		assert_non_null(problem);
		assert_non_null(strstr(problem, words));
	} else {
		assert_null(problem);
	}
	free(problem);
}

static void what_is_right_is_no_problem(void **state)
{
	struct fixture fixture;
	uint64_t id = ID_ROOT;

	begin(&fixture, 100);
	fixture_tally(&fixture, 1, 70000, 17);
	for (uint32_t i = 0; i < 66000; i++)
		id = fixture_context(&fixture, 1, id, 1 + i % 8, 0);
	fixture_context(&fixture, 0, id, WIRE_FOLDED, 1);
	assert_problem(*state, &fixture, WIRE_ENDED, NULL);
	fixture_fini(&fixture);
}

static void a_function_of_no_module_is_a_problem(void **state)
{
	struct fixture fixture;

	begin(&fixture, 100);
	fixture_context(&fixture, 0, ID_ROOT, 1, 1);
	fixture_context(&fixture, 0, ID_ROOT, 9, 1);
	assert_problem(*state, &fixture, WIRE_ENDED,
		       "of 2 contexts some cannot be: 1 of a function in no "
		       "module");
	/* its record may just be on its way */
	assert_problem(*state, &fixture, WIRE_RUNNING, NULL);
	fixture_fini(&fixture);
}

/* Its name may come before its range, as records may be in any order. */
static void a_function_may_have_but_a_name(void **state)
{
	struct world *world = *state;
	struct catalog *catalog = &world->session.catalog;
	uint32_t java, made;
	struct fixture fixture;
	uint64_t a;

	begin(&fixture, 100);
	FIXTURE_NAME(&fixture, 4097, "Lcom/acme/Foo;\0bar\0(I)V");
	fixture_range(&fixture, WIRE_RANGE_JAVA, 4096, 4096);
	fixture_range(&fixture, WIRE_RANGE_GENERATED, 1U << 31, 2);
	FIXTURE_NAME(&fixture, (1U << 31) + 1, "made");
	a = fixture_context(&fixture, 0, ID_ROOT, 4097, 1);
	a = fixture_context(&fixture, 0, a, 3, 10);
	fixture_context(&fixture, 0, a, (1U << 31) + 1, 100);
	assert_problem(world, &fixture, WIRE_ENDED, NULL);
	fixture_save_part(&fixture, world->directory);
	read_as(world, &everybody);
	java = catalog_named(catalog, KIND_JAVA, CATALOG_NO_MODULE,
			     "com.acme.Foo.bar(int)");
	made = catalog_named(catalog, KIND_GENERATED, CATALOG_NO_MODULE,
			     "made");
	assert_int_equal(
		special_child(&world->session, TREE_ROOT, java)->below.calls,
		111);
	assert_int_equal(world->session.tree.nodes[3].function, made);
	assert_int_equal(world->session.tree.nodes[3].self.calls, 100);
	session_close(&world->session);
	fixture_fini(&fixture);
}

/* A stack of methods counts as one function, and is a branch of them. */
static void a_stack_is_its_methods_below_each_other(void **state)
{
	static const uint32_t whole[] = { 4097, 4098, 4097 };
	static const uint32_t cut[] = { WIRE_STACK_CUT, 4098 };
	struct world *world = *state;
	struct catalog *catalog = &world->session.catalog;
	const struct tree_node *node;
	uint32_t one, two, more;
	struct fixture fixture;
	uint64_t a;

	begin(&fixture, 100);
	fixture_range(&fixture, WIRE_RANGE_JAVA, 4096, 4096);
	FIXTURE_NAME(&fixture, 4097, "LA;\0one\0()V");
	FIXTURE_NAME(&fixture, 4098, "LA;\0two\0()V");
	fixture_range(&fixture, WIRE_RANGE_JAVA_STACK, 8192, 4096);
	fixture_name(&fixture, 8193, (const char *)whole, sizeof(whole));
	fixture_name(&fixture, 8194, (const char *)cut, sizeof(cut));
	a = fixture_context(&fixture, 0, ID_ROOT, 8193, 0);
	fixture_context(&fixture, 0, a, 3, 10);
	a = fixture_context(&fixture, 0, ID_ROOT, 8194, 0);
	fixture_context(&fixture, 0, a, 3, 100);
	assert_problem(world, &fixture, WIRE_ENDED, NULL);
	fixture_save_part(&fixture, world->directory);
	read_as(world, &everybody);
	one = catalog_named(catalog, KIND_JAVA, CATALOG_NO_MODULE, "A.one()");
	two = catalog_named(catalog, KIND_JAVA, CATALOG_NO_MODULE, "A.two()");
	more = catalog_named(catalog, KIND_JAVA, CATALOG_NO_MODULE,
			     "(more callers)");
	node = special_child(&world->session, TREE_ROOT, more);
	assert_int_equal(node->below.calls, 100);
	node = special_child(&world->session, TREE_ROOT, one);
	assert_int_equal(node->below.calls, 10);
	node = special_child(&world->session,
			     (uint32_t)(node - world->session.tree.nodes), two);
	node = special_child(&world->session,
			     (uint32_t)(node - world->session.tree.nodes), one);
	assert_int_equal(node->below.calls, 10);
	assert_int_equal(node->self.calls, 0);
	session_close(&world->session);
	fixture_fini(&fixture);
}

static void tell_lines(struct fixture *fixture, uint32_t number,
		       const struct wire_line *lines, size_t count)
{
	struct {
		char file[8];
		struct wire_line lines[4];
	} source = { "A.java", { { 0, 0 } } };

	memcpy(source.lines, lines, count * sizeof(*lines));
	fixture_told(fixture, WIRE_SOURCES, number, &source,
		     sizeof(source.file) + count * sizeof(*lines));
}

/*
 * one() calls two() at its second line; two() calls the native at bytecode 9 in one
 * stack, and at 2 in the other, and lists its lines in no order.
 */
static void make_lines(struct fixture *fixture)
{
	static const uint32_t stack[] = { 4097, 4098 };
	static const uint16_t calls[][2] = { { 5, 9 }, { 5, 2 } };
	static const struct wire_line one[] = { { 0, 10 }, { 5, 11 } };
	static const struct wire_line two[] = { { 8, 22 },
						{ 0, 20 },
						{ 4, 21 } };

	begin(fixture, 100);
	fixture_range(fixture, WIRE_RANGE_JAVA, 4096, 4096);
	FIXTURE_NAME(fixture, 4097, "LA;\0one\0()V");
	FIXTURE_NAME(fixture, 4098, "LA;\0two\0()V");
	tell_lines(fixture, 4097, one, 2);
	fixture_range(fixture, WIRE_RANGE_JAVA_STACK, 8192, 4096);
	for (uint32_t i = 0; i < 2; i++) {
		uint64_t a;

		fixture_told(fixture, WIRE_CALL_PLACES, 8192 + i, calls[i], 4);
		fixture_name(fixture, 8192 + i, (const char *)stack, 8);
		a = fixture_context(fixture, 0, ID_ROOT, 8192 + i, 0);
		fixture_context(fixture, 0, a, 3, i ? 10 : 100);
	}
	tell_lines(fixture, 4098, two, 3);
}

/* The child of a node for a Java method, which is begun and called in these lines. */
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
	told_site_place(catalog, session->tree.nodes[node].site, &file, &line);
	assert_int_equal(line, called);
	return node;
}

/* Those of a stack's methods, of which the innermost one's are told apart if asked. */
static void calls_have_the_lines_that_were_told(void **state)
{
	const struct whose by_line = { .by_line = 1 };
	struct world *world = *state;
	struct session *session = &world->session;
	struct fixture fixture;
	const char *file;
	uint32_t node, line;

	make_lines(&fixture);
	assert_problem(world, &fixture, WIRE_ENDED, NULL);
	fixture_save_part(&fixture, world->directory);
	read_as(world, &everybody);
	node = java_child(session, TREE_ROOT, "A.one()", 10, 0);
	node = java_child(session, node, "A.two()", 20, 11);
	assert_int_equal(session->tree.nodes[node].below.calls, 110);
	assert_true(told_site_place(&session->catalog,
				    session->tree.nodes[node + 1].site, &file,
				    &line));
	assert_int_equal(line, 22);
	session_close(session);
	read_as(world, &by_line);
	node = java_child(session, TREE_ROOT, "A.one()", 10, 0);
	assert_int_equal(
		session->tree
			.nodes[java_child(session, node, "A.two():22", 22, 11)]
			.below.calls,
		100);
	assert_int_equal(
		session->tree
			.nodes[java_child(session, node, "A.two():20", 20, 11)]
			.below.calls,
		10);
	session_close(session);
	fixture_fini(&fixture);
}

/* No path, none that ends, a stack's, of no method; more and fewer calls than methods. */
static void lines_that_are_none_are_harmless(void **state)
{
	static const uint32_t stack[] = { 4097 };
	static const uint16_t calls[] = { 0, 0 };
	struct fixture fixture;
	uint64_t a;

	begin(&fixture, 100);
	fixture_range(&fixture, WIRE_RANGE_JAVA, 4096, 4096);
	FIXTURE_NAME(&fixture, 4097, "LA;\0one\0()V");
	fixture_range(&fixture, WIRE_RANGE_JAVA_STACK, 8192, 4096);
	fixture_name(&fixture, 8192, (const char *)stack, sizeof(stack));
	fixture_name(&fixture, 8193, (const char *)stack, sizeof(stack));
	fixture_told(&fixture, WIRE_SOURCES, 4097, "", 0);
	fixture_told(&fixture, WIRE_SOURCES, 4097, "endless", 7);
	fixture_told(&fixture, WIRE_SOURCES, 4097, "A.java", 7);
	fixture_told(&fixture, WIRE_SOURCES, 8192, "A.java", 7);
	fixture_told(&fixture, WIRE_SOURCES, 0, "A.java", 7);
	fixture_told(&fixture, WIRE_CALL_PLACES, 8192, calls, 4);
	fixture_told(&fixture, WIRE_CALL_PLACES, 8193, calls, 1);
	fixture_told(&fixture, WIRE_CALL_PLACES, 1, calls, 2);
	for (uint32_t i = 8192; i <= 8193; i++) {
		a = fixture_context(&fixture, 0, ID_ROOT, i, 0);
		fixture_context(&fixture, 0, a, 3, 1);
	}
	assert_problem(*state, &fixture, WIRE_ENDED, NULL);
	fixture_fini(&fixture);
}

/* Nothing, less than a number, itself, another stack, and what has no name. */
static void a_stack_of_what_is_no_method_is_harmless(void **state)
{
	static const uint32_t bad[] = { 8194, 8193, WIRE_STACK_CUT, 0, 5000 };
	struct fixture fixture;

	begin(&fixture, 100);
	fixture_range(&fixture, WIRE_RANGE_JAVA_STACK, 8192, 4096);
	fixture_name(&fixture, 8192, "", 0);
	fixture_name(&fixture, 8193, "abc", 3);
	fixture_name(&fixture, 8194, (const char *)bad, sizeof(bad));
	for (uint32_t i = 8192; i <= 8194; i++)
		fixture_context(&fixture, 0, ID_ROOT, i, 1);
	assert_problem(*state, &fixture, WIRE_ENDED,
		       "of 3 contexts some cannot be: 3 of a function in no "
		       "module");
	fixture_fini(&fixture);
}

/* A name for what is a module's, for no range, and none for a range. */
static void a_name_of_what_has_none_is_not_believed(void **state)
{
	struct fixture fixture;

	begin(&fixture, 100);
	fixture_range(&fixture, WIRE_RANGE_JAVA, 4096, 10);
	FIXTURE_NAME(&fixture, 2, "another");
	FIXTURE_NAME(&fixture, 5000, "lost");
	FIXTURE_NAME(&fixture, 0, "nobody");
	FIXTURE_NAME(&fixture, WIRE_FOLDED, "folded");
	fixture_context(&fixture, 0, ID_ROOT, 2, 1);
	fixture_context(&fixture, 0, ID_ROOT, 4097, 1);
	fixture_context(&fixture, 0, ID_ROOT, 5000, 1);
	assert_problem(*state, &fixture, WIRE_ENDED,
		       "of 3 contexts some cannot be: 2 of a function in no "
		       "module");
	fixture_fini(&fixture);
}

/* The module's second function, several times; one in no module. */
static void a_native_method_has_its_own_name(void **state)
{
	struct world *world = *state;
	struct catalog *catalog = &world->session.catalog;
	struct fixture fixture;
	uint32_t function;

	begin(&fixture, 100);
	fixture_binding(&fixture, FIXTURE_MODULE_BASE + 0x1010, "f");
	fixture_binding(&fixture, FIXTURE_MODULE_BASE + 0x1010, "other");
	fixture_binding(&fixture, FIXTURE_MODULE_BASE + 0x1010, "f");
	fixture_binding(&fixture, 0x10, "lost");
	fixture_context(&fixture, 0, ID_ROOT, 2, 10);
	fixture_save_part(&fixture, world->directory);
	read_as(world, &everybody);
	function = world->session.tree.nodes[1].function;
	assert_string_equal(catalog_name(catalog, function),
			    "a.B.f(int) / a.B.other(int)");
	assert_int_equal(catalog_kind(catalog, function), KIND_JNI);
	session_close(&world->session);
	fixture_fini(&fixture);
}

static void a_caller_that_is_missing_is_a_problem(void **state)
{
	struct fixture fixture;
	uint64_t id;

	begin(&fixture, 100);
	id = fixture_context(&fixture, 0, 0x1234567, 1, 1);
	fixture_context(&fixture, 0, id, 2, 1);
	assert_problem(*state, &fixture, WIRE_ENDED, ": 1 without a caller");
	assert_problem(*state, &fixture, WIRE_RUNNING, NULL);
	fixture_fini(&fixture);
}

static void a_depth_that_is_not_the_caller_s_is_a_problem(void **state)
{
	struct fixture fixture;
	uint64_t id;

	begin(&fixture, 100);
	id = fixture_context(&fixture, 0, ID_ROOT, 1, 1);
	fixture_context(&fixture, 0, id, 2, 1);
	fixture_last_context(&fixture, 0)->depth++;
	assert_problem(*state, &fixture, WIRE_ENDED, ": 1 at another depth");
	assert_problem(*state, &fixture, WIRE_RUNNING, ": 1 at another depth");
	fixture_last_context(&fixture, 0)->depth = 0;
	assert_problem(*state, &fixture, WIRE_ENDED, ": 1 at another depth");
	fixture_fini(&fixture);
}

static void a_circle_is_a_problem(void **state)
{
	struct fixture fixture;

	begin(&fixture, 100);
	fixture_context(&fixture, 0, CIRCLE, CIRCLE_FUNCTION, 11);
	assert_problem(*state, &fixture, WIRE_RUNNING,
		       ": 1 called by what they call");
	fixture_fini(&fixture);
}

static void a_problem_is_told_once_whoever_asks(void **state)
{
	const struct whose each = { .grouping = GROUP_THREAD };
	struct world *world = *state;
	struct fixture fixture;
	uint64_t id;

	begin(&fixture, 100);
	fixture_tally(&fixture, 1, 0, 0);
	fixture_thread(&fixture, 101, "other", 1);
	for (uint32_t i = 0; i < 2; i++) {
		id = fixture_context(&fixture, i, ID_ROOT, 1, 1);
		fixture_context(&fixture, i, id, 2, 1);
		fixture_last_context(&fixture, i)->depth++;
	}
	end(world, &fixture);
	read_as(world, &each);
	merge_recording(&world->session.recording, &everybody,
			&world->session.catalog, &world->session.tree,
			&world->session.timeline, &(struct merged){ 0 });
	assert_int_equal(world->session.recording.problem_count, 1);
	assert_non_null(strstr(world->session.recording.problems[0],
			       ": 1 at another depth"));
	session_close(&world->session);
}

static void tail_calls_are_calls_and_counted_apart(void **state)
{
	struct world *world = *state;
	struct fixture fixture;
	const struct tree_node *node;
	uint64_t a;

	begin(&fixture, 100);
	a = fixture_context(&fixture, 0, ID_ROOT, 1, 1);
	fixture_context(&fixture, 0, a, 2, 20);
	fixture_tail_calls(&fixture, 0, 7);
	end(world, &fixture);
	read_as(world, &everybody);
	assert_int_equal(world->session.summary.contexts, 2);
	assert_int_equal(NODE(&world->session, 1)->self.tails, 0);
	node = NODE(&world->session, 1, 2);
	assert_int_equal(node->self.calls, 27);
	assert_int_equal(node->self.tails, 7);
	session_close(&world->session);
}

static void a_thread_is_chosen_by_name_or_number(void **state)
{
	static const char *const wanted[] = { "worker", "4711" };
	struct world *world = *state;
	struct fixture fixture;

	begin(&fixture, 100);
	fixture_thread(&fixture, 4711, "worker", 1);
	fixture_tally(&fixture, 1, 0, 0);
	fixture_context(&fixture, 0, ID_ROOT, 1, 1);
	fixture_context(&fixture, 1, ID_ROOT, 2, 20);
	end(world, &fixture);
	for (size_t i = 0; i < 2; i++) {
		read_as(world, &(struct whose){ .thread = wanted[i] });
		assert_null(NODE(&world->session, 1));
		assert_int_equal(NODE(&world->session, 2)->self.calls, 20);
		assert_int_equal(world->session.summary.threads, 1);
		session_close(&world->session);
	}
}

static void who_followed_a_thread_is_owned_up_to(void **state)
{
	struct world *world = *state;
	struct fixture fixture;

	begin(&fixture, 100);
	fixture_thread(&fixture, 200, "first", 0);
	fixture_thread(&fixture, 201, "second", 0);
	fixture_context(&fixture, 0, ID_ROOT, 1, 1);
	end(world, &fixture);
	read_as(world, &(struct whose){ .thread = "first" });
	assert_int_equal(world->session.summary.follow_ups, 2);
	session_close(&world->session);
}

static void a_process_is_chosen_by_pid(void **state)
{
	struct world *world = *state;
	struct fixture fixture;
	char *why;

	for (uint32_t pid = 100; pid < 103; pid++) {
		begin(&fixture, pid);
		fixture_context(&fixture, 0, ID_ROOT, 1, pid);
		end(world, &fixture);
	}
	read_as(world, &(struct whose){ .pid = 101 });
	assert_int_equal(world->session.summary.calls, 101);
	session_close(&world->session);
	assert_true(session_open(&world->session, world->directory,
				 &(struct whose){ .pid = 9 }, &why) < 0);
	free(why);
}

static void a_recursion_of_100000_levels_is_read(void **state)
{
	enum { LEVELS = 100000 };
	struct world *world = *state;
	struct fixture fixture;
	uint64_t id = ID_ROOT;
	uint32_t deepest;

	fixture_init(&fixture, 100, 0);
	fixture_module(&fixture, "/lib/app", 1, 8);
	fixture_tally(&fixture, 0, LEVELS, 18);
	for (int i = 0; i < LEVELS; i++)
		id = fixture_context(&fixture, 0, id, 1, 1);
	end(world, &fixture);
	read_as(world, &everybody);
	deepest = (uint32_t)world->session.tree.count - 1;
	assert_int_equal(world->session.tree.nodes[deepest].depth, LEVELS);
	assert_int_equal(NODE(&world->session, 1)->below.calls, LEVELS);
	session_close(&world->session);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_context_hangs_below_its_caller),
		TEST(tallies_of_a_process_add_up),
		TEST(processes_add_up_by_function),
		TEST(a_build_id_is_stronger_than_a_path),
		TEST(a_retired_table_still_counts),
		TEST(a_table_that_nobody_refers_to_does_not_count),
		TEST(folded_calls_stand_below_their_ancestor),
		TEST(an_unrecorded_caller_is_unknown),
		TEST(counts_without_a_context_are_strays),
		TEST(a_circle_of_callers_ends),
		TEST(what_is_right_is_no_problem),
		TEST(a_function_of_no_module_is_a_problem),
		TEST(a_function_may_have_but_a_name),
		TEST(a_name_of_what_has_none_is_not_believed),
		TEST(a_stack_is_its_methods_below_each_other),
		TEST(a_stack_of_what_is_no_method_is_harmless),
		TEST(calls_have_the_lines_that_were_told),
		TEST(lines_that_are_none_are_harmless),
		TEST(a_native_method_has_its_own_name),
		TEST(a_caller_that_is_missing_is_a_problem),
		TEST(a_depth_that_is_not_the_caller_s_is_a_problem),
		TEST(a_circle_is_a_problem),
		TEST(a_problem_is_told_once_whoever_asks),
		TEST(tail_calls_are_calls_and_counted_apart),
		TEST(a_thread_is_chosen_by_name_or_number),
		TEST(who_followed_a_thread_is_owned_up_to),
		TEST(a_process_is_chosen_by_pid),
		TEST(a_recursion_of_100000_levels_is_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
