/* SPDX-License-Identifier: MIT */
/* Tests of trees, of tables that are made from them, and of their text. */
#include "tests/unit/node_measures.h"
#include "tests/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "base/memory.h"
#include "report/view/labels.h"
#include "report/view/views.h"
#include "report/write/writer.h"

enum { FUNCTIONS = 8 };

/* Each test's state is a session without a recording: functions a, b, c... */
static int begin(void **state)
{
	struct session *session = memory_zeroed(1, sizeof(*session));
	struct catalog *catalog = &session->catalog;

	*state = session;
	catalog_init(catalog);
	for (size_t i = FUNCTION_FIRST; i < FUNCTION_FIRST + FUNCTIONS; i++) {
		catalog->functions = memory_grow(catalog->functions, i,
						 &catalog->function_capacity,
						 sizeof(*catalog->functions));
		catalog->functions[i] = (struct catalog_function){
			.name = memory_printf("%c",
					      (int)('a' + i - FUNCTION_FIRST)),
			.vaddr = i,
		};
		catalog->function_count++;
	}
	catalog->modules = memory_zeroed(1, sizeof(*catalog->modules));
	catalog->modules[0].path = memory_printf("/lib/app");
	catalog->modules[0].printable_path = memory_printf("/lib/app");
	catalog->modules[0].name = "app";
	catalog->module_count = 1;
	tree_init(&session->tree);
	return 0;
}

static int finish(void **state)
{
	session_close(*state);
	free(*state);
	return 0;
}

static uint32_t function_of(char name)
{
	return FUNCTION_FIRST + (uint32_t)(name - 'a');
}

static void rename_function(struct catalog *catalog, char letter,
			    const char *name)
{
	struct catalog_function *function =
		&catalog->functions[function_of(letter)];

	free(function->name);
	function->name = memory_printf("%s", name);
}

/* Adds calls to the context that a word such as "abc" spells. */
static void add(struct session *session, const char *context, uint64_t calls)
{
	struct tree *tree = &session->tree;
	uint32_t node = TREE_ROOT;

	for (; *context; context++)
		node = tree_child(tree, node, function_of(*context));
	tree->nodes[node].calls += calls;
	for (; node != TREE_ROOT; node = tree->nodes[node].parent)
		tree->nodes[node].is_context = 1;
}

static const struct tree_node *find(const struct tree *tree,
				    const char *context)
{
	uint32_t node = TREE_ROOT;

	for (; *context; context++) {
		node = tree_find(tree, node, function_of(*context));
		if (node == TREE_ROOT)
			return NULL;
	}
	return &tree->nodes[node];
}

static void end(struct session *session)
{
	tree_sum(&session->tree);
	session->summary.calls = session->tree.below[TREE_ROOT];
	session->summary.time_ns = tree_below(&session->tree, TREE_ROOT).ns;
	session->summary.contexts = session->tree.count - 1;
}

static void make_flat(struct flat *flat, struct session *session)
{
	uint32_t *labels =
		labels_of(&session->tree, &session->catalog, LABEL_FUNCTION);

	flat_init(flat, &session->tree, labels,
		  session->catalog.function_count);
	free(labels);
}

static void one_function_is_one_row(void **state)
{
	struct session *session = *state;
	struct flat flat;
	const struct flat_row *c;

	add(session, "a", 1);
	add(session, "ac", 10);
	add(session, "abc", 100);
	add(session, "abcc", 1000);
	end(session);
	make_flat(&flat, session);
	assert_int_equal(flat.count, 2); /* b was never called itself */
	c = &flat.rows[1];
	assert_int_equal(c->function, function_of('c'));
	assert_int_equal(c->self.calls, 1110);
	assert_int_equal(c->contexts, 3);
	assert_int_equal(c->callers, 3); /* the callers a, b and c itself */
	assert_int_equal(c->callees, 1);
	flat_fini(&flat);
}

static void add_time(struct session *session, const char *context, uint64_t ns)
{
	struct tree *tree = &session->tree;
	uint32_t node = TREE_ROOT;

	for (; *context; context++)
		node = tree_child(tree, node, function_of(*context));
	tree_add(tree, node, &(struct measure){ .ns = ns, .samples = 1 });
}

static void recursion_is_counted_once(void **state)
{
	struct session *session = *state;
	struct flat flat;

	add_time(session, "a", 1);
	add_time(session, "aba", 10);
	add_time(session, "abab", 100);
	add_time(session, "ba", 1000);
	end(session);
	make_flat(&flat, session);
	assert_int_equal(flat.count, 2);
	assert_int_equal(flat.rows[0].self.ns, 1011); /* a */
	assert_int_equal(flat.rows[0].total.ns, 1111);
	assert_int_equal(flat.rows[1].self.ns, 100); /* b */
	assert_int_equal(flat.rows[1].total.ns, 1110);
	flat_fini(&flat);
}

/* "aba" means a in b in a. The time of b is part of the outer a, once. */
static void a_butterfly_divides_time_once(void **state)
{
	struct session *session = *state;
	struct butterfly wings;
	uint8_t *chosen;

	add(session, "a", 3);
	add(session, "ca", 4);
	add(session, "ab", 5);
	add(session, "aba", 6);
	add_time(session, "a", 1);
	add_time(session, "ab", 10);
	add_time(session, "aba", 100);
	add_time(session, "abad", 1000);
	add_time(session, "ca", 20000);
	add_time(session, "c", 300000);
	end(session);
	chosen = selection_named(&session->catalog, "a");
	butterfly_init(&wings, &session->tree, &session->catalog, chosen,
		       METRIC_TIME);
	assert_int_equal(wings.self.calls, 13);
	assert_int_equal(wings.self.ns, 20101);
	assert_int_equal(wings.total.ns, 21111);
	assert_int_equal(wings.caller_count, 3);
	assert_int_equal(wings.callers[0].function, function_of('c'));
	assert_int_equal(wings.callers[0].edge.ns, 20000);
	assert_int_equal(wings.callers[1].function, FUNCTION_NONE);
	assert_int_equal(wings.callers[1].edge.ns, 1111);
	assert_int_equal(wings.callers[2].function, function_of('b'));
	assert_int_equal(wings.callers[2].edge.ns, 0);
	assert_int_equal(wings.callers[2].edge.calls, 6);
	assert_int_equal(wings.callees[0].function, function_of('b'));
	assert_int_equal(wings.callees[0].edge.ns, 1110);
	assert_int_equal(wings.callees[0].edge.calls, 5);
	butterfly_fini(&wings);
	free(chosen);
}

static void modules_are_rows_too(void **state)
{
	struct session *session = *state;
	uint32_t *labels;
	struct flat flat;

	add(session, "a", 1);
	add(session, "abc", 10);
	add_time(session, "ab", 100);
	session->tree
		.nodes[tree_child(&session->tree, TREE_ROOT,
				  FUNCTION_UNKNOWN_CALLER)]
		.calls = 5;
	end(session);
	labels = labels_of(&session->tree, &session->catalog, LABEL_MODULE);
	flat_init(&flat, &session->tree, labels,
		  session->catalog.function_count);
	assert_int_equal(flat.count, 2);
	assert_int_equal(flat.rows[0].function, FUNCTION_UNKNOWN_CALLER);
	assert_string_equal(
		catalog_name(&session->catalog, flat.rows[1].function), "app");
	assert_int_equal(flat.rows[1].self.calls, 11);
	assert_int_equal(flat.rows[1].total.ns, 100);
	free(labels);
	flat_fini(&flat);
}

/* The time includes the calls that were missed, the count does not. */
static void functions_left_out_have_no_time_of_a_call(void **state)
{
	struct session *session = *state;
	struct catalog *catalog = &session->catalog;
	const enum label_by kinds[] = { LABEL_FUNCTION, LABEL_MODULE };
	struct flat_keys keys;
	struct flat flat;

	add(session, "a", 10);
	add(session, "b", 10);
	add_time(session, "a", 1000);
	add_time(session, "b", 500);
	end(session);
	catalog->functions[function_of('a')].left_out =
		memory_zeroed(1, sizeof(struct left_out));
	for (size_t i = 0; i < 2; i++) {
		uint32_t *labels = labels_of(&session->tree, catalog, kinds[i]);

		flat_init(&flat, &session->tree, labels,
			  catalog->function_count);
		flat_find_lacking(&flat, &session->tree, labels,
				  catalog->function_count, catalog);
		free(labels);
		if (kinds[i] == LABEL_MODULE)
			break;
		assert_int_equal(flat_parse_keys("per-call", &keys), 0);
		flat_sort(&flat, &keys, catalog);
		assert_int_equal(flat.rows[0].function, function_of('b'));
		assert_int_equal(flat_per_call_ns(&flat.rows[0]), 50);
		assert_int_equal(flat.rows[1].function, function_of('a'));
		assert_false(flat_has_per_call(&flat.rows[1]));
		assert_int_equal(flat_per_call_ns(&flat.rows[1]), 0);
		flat_fini(&flat);
	}
	assert_int_equal(flat.count, 1);
	assert_int_equal(flat.rows[0].self.calls, 20);
	assert_false(flat_has_per_call(&flat.rows[0]));
	flat_fini(&flat);
}

static void rows_are_sorted_by_several_keys(void **state)
{
	struct session *session = *state;
	struct flat_keys keys;
	struct flat flat;

	add(session, "c", 5);
	add(session, "b", 5);
	add(session, "a", 1);
	end(session);
	make_flat(&flat, session);
	assert_int_equal(flat_parse_keys("calls,name", &keys), 0);
	flat_sort(&flat, &keys, &session->catalog);
	assert_int_equal(flat.rows[0].function, function_of('b'));
	assert_int_equal(flat.rows[1].function, function_of('c'));
	assert_int_equal(flat.rows[2].function, function_of('a'));
	assert_true(flat_parse_keys("calls,", &keys) < 0);
	assert_true(flat_parse_keys("", &keys) < 0);
	assert_true(flat_parse_keys("name,name,name,name,name,name,name,name,"
				    "name,name",
				    &keys) < 0);
	flat_fini(&flat);
}

static void hidden_functions_hand_their_callees_up(void **state)
{
	struct session *session = *state;
	uint8_t keep[FUNCTION_FIRST + FUNCTIONS];
	struct tree kept;

	memset(keep, 1, sizeof(keep));
	keep[function_of('b')] = 0;
	add(session, "abc", 3);
	add(session, "ac", 4);
	add(session, "b", 50);
	end(session);
	tree_keep(&session->tree, keep, &kept);
	assert_int_equal(find(&kept, "ac")->calls, 7);
	assert_int_equal(kept.below[TREE_ROOT], 7);
	assert_null(find(&kept, "b"));
	tree_fini(&kept);
}

static void callers_are_exact(void **state)
{
	struct session *session = *state;
	uint8_t *chosen;
	struct tree callers;

	add(session, "c", 1);
	add(session, "ac", 10);
	add(session, "bac", 100);
	add(session, "bc", 1000);
	end(session);
	chosen = selection_named(&session->catalog, "c");
	assert_null(selection_named(&session->catalog, "nothing"));
	tree_callers(&session->tree, chosen, 0, &callers);
	assert_int_equal(node_below(&callers, find(&callers, "c")).calls, 1111);
	assert_int_equal(node_below(&callers, find(&callers, "ca")).calls, 110);
	assert_int_equal(node_below(&callers, find(&callers, "cab")).calls,
			 100);
	assert_int_equal(node_below(&callers, find(&callers, "cb")).calls,
			 1000);
	tree_fini(&callers);
	tree_callers(&session->tree, chosen, 2, &callers);
	assert_int_equal(node_below(&callers, find(&callers, "ca")).calls, 110);
	assert_null(find(&callers, "cab"));
	tree_fini(&callers);
	free(chosen);
}

static void equal_times_are_in_the_order_of_calls(void **state)
{
	struct session *session = *state;
	const struct flat_keys keys = { .keys = { FLAT_SELF }, .count = 1 };
	struct tree_order order;
	struct flat flat;

	add(session, "a", 1);
	add(session, "b", 3);
	add(session, "c", 2);
	add_time(session, "a", 60);
	end(session);
	make_flat(&flat, session);
	flat_sort(&flat, &keys, &session->catalog);
	assert_int_equal(flat.rows[0].function, function_of('a'));
	assert_int_equal(flat.rows[1].function, function_of('b'));
	assert_int_equal(flat.rows[2].function, function_of('c'));
	flat_fini(&flat);
	tree_order(&session->tree, METRIC_TIME, &order);
	assert_ptr_equal(&session->tree.nodes[order.children[1]],
			 find(&session->tree, "b"));
	tree_order_fini(&order);
}

static void calls_take_no_more_room_than_they_need(void **state)
{
	static const char expected[] =
		"      calls   share    contexts  callers  callees  ?\n"
		" 12,345,678  75.00%           1        0        0  a  [app]\n"
		"  4,115,226  25.00%           1        0        0  b  [app]\n";
	struct session *session = *state;
	struct flat flat;
	size_t bytes;
	char *text;
	FILE *out;

	add(session, "a", 12345678);
	add(session, "b", 4115226);
	end(session);
	make_flat(&flat, session);
	out = open_memstream(&text, &bytes);
	writer_text.flat(out, session,
			 &(struct flat_view){ .flat = &flat, .what = "?" });
	fclose(out);
	assert_memory_equal(text, expected, strlen(expected));
	free(text);
	flat_fini(&flat);
}

/* A view of the session's whole tree. */
static const struct tree_view whole;

/* Returns the output of a writer for a view. free() it. */
static char *written(const struct report_writer *writer,
		     struct session *session, struct tree_view view,
		     size_t *bytes)
{
	char *text;
	FILE *out = open_memstream(&text, bytes);

	if (!view.tree)
		view.tree = &session->tree;
	writer->tree(out, session, &view);
	fclose(out);
	return text;
}

/* Checks the text of the tree, which begins with its headings. */
static void check_tree(struct session *session, struct tree_view view,
		       const char *expected)
{
	size_t bytes;
	char *text;

	end(session);
	text = written(&writer_text, session, view, &bytes);
	assert_memory_equal(text, expected, strlen(expected));
	free(text);
}

static void callers_have_their_calls_beside_the_time(void **state)
{
	struct session *session = *state;
	struct tree callers;
	uint8_t *chosen;

	add(session, "ac", 10);
	add(session, "bc", 1);
	add_time(session, "ac", 60);
	end(session);
	session->metric = METRIC_TIME;
	chosen = selection_named(&session->catalog, "c");
	tree_callers(&session->tree, chosen, 0, &callers);
	check_tree(
		session,
		(struct tree_view){ .tree = &callers, .shows_callers = 1 },
		"     self   share           calls  function and its callers\n"
		"    60 ns 100.00%              11  c\n"
		"    60 ns 100.00%              10  |- a\n"
		"        0   0.00%               1  `- b\n");
	free(chosen);
	tree_fini(&callers);
}

static void a_butterfly_shows_no_calls_of_what_is_not_hooked(void **state)
{
	const char *expected =
		"     time   share           calls  "
		"callers, the function, callees\n"
		"   160 ns 100.00%               3      (start of a thread)\n"
		"   160 ns 100.00%               3  a  (self: 60 ns)\n"
		"   100 ns  62.50%               -      c  [app]\n";
	struct session *session = *state;
	struct butterfly wings;
	uint8_t *chosen;
	size_t bytes;
	char *text;
	FILE *out = open_memstream(&text, &bytes);

	add(session, "a", 3);
	add_time(session, "a", 60);
	add_time(session, "ac", 100);
	end(session);
	session->metric = METRIC_TIME;
	chosen = selection_named(&session->catalog, "a");
	butterfly_init(&wings, &session->tree, &session->catalog, chosen,
		       METRIC_TIME);
	writer_text.butterfly(
		out, session,
		&(struct butterfly_view){ .butterfly = &wings, .name = "a" });
	fclose(out);
	assert_memory_equal(text, expected, strlen(expected));
	free(text);
	butterfly_fini(&wings);
	free(chosen);
}

static void a_callee_never_has_the_name_of_the_function(void **state)
{
	struct session *session = *state;
	struct catalog *catalog = &session->catalog;
	struct butterfly wings;
	uint8_t *chosen;
	size_t bytes;
	char *text;
	FILE *out = open_memstream(&text, &bytes);

	rename_function(catalog, 'a', "parse(int)");
	rename_function(catalog, 'b', "parse(char)");
	add(session, "ab", 3);
	end(session);
	chosen = memory_zeroed(catalog->function_count, 1);
	chosen[function_of('a')] = 1;
	butterfly_init(&wings, &session->tree, catalog, chosen, METRIC_CALLS);
	writer_text.butterfly(out, session,
			      &(struct butterfly_view){ .butterfly = &wings });
	fclose(out);
	assert_non_null(strstr(text, "  parse(int)\n"));
	assert_non_null(strstr(text, "  parse(char)  [app]\n"));
	free(text);
	butterfly_fini(&wings);
	free(chosen);
}

static void the_tree_is_drawn_with_rails(void **state)
{
	struct session *session = *state;

	add(session, "e", 2);
	add(session, "a", 1);
	add(session, "ad", 1);
	add(session, "ab", 2);
	add(session, "abc", 4);
	check_tree(session, whole,
		   "     with below   share           calls  context\n"
		   "              8  80.00%               1  a\n"
		   "              6  60.00%               2  |- b\n"
		   "              4  40.00%               4  |  `- c\n"
		   "              1  10.00%               1  `- d\n"
		   "              2  20.00%               2  e\n");
}

static void tree_shows_times_if_there_are_times(void **state)
{
	struct session *session = *state;

	add(session, "a", 1);
	add(session, "b", 900);
	add_time(session, "b", 60);
	add_time(session, "a", 40);
	add_time(session, "ac", 100);
	session->metric = METRIC_TIME;
	check_tree(session, whole,
		   "    total   share      self           calls  context\n"
		   "   140 ns  70.00%     40 ns               1  a\n"
		   "   100 ns  50.00%    100 ns               -  `- c\n"
		   "    60 ns  30.00%     60 ns             900  b\n");
}

static void hidden_contexts_are_counted(void **state)
{
	struct session *session = *state;

	add(session, "ab", 90);
	add(session, "ac", 4);
	add(session, "ad", 4);
	add(session, "e", 2);
	check_tree(session,
		   (struct tree_view){ .limits.threshold_percent = 10 },
		   "     with below   share           calls  context\n"
		   "             98  98.00%               0  a\n"
		   "             90  90.00%              90  |- b\n"
		   "              8   8.00%                  `- ... 2 more\n"
		   "              2   2.00%                  ... 1 more\n");
}

static void output_of_a_deep_recursion_is_linear(void **state)
{
	enum { LEVELS = 100000 };
	struct session *session = *state;
	uint32_t node = TREE_ROOT;
	size_t bytes;

	for (int i = 0; i < LEVELS; i++) {
		node = tree_child(&session->tree, node, function_of('a'));
		session->tree.nodes[node].calls = 1;
	}
	end(session);
	free(written(&writer_text, session, whole, &bytes));
	assert_in_range(bytes, LEVELS * 40, LEVELS * 300);
	free(written(&writer_json, session, whole, &bytes));
	assert_in_range(bytes, LEVELS * 40, LEVELS * 300);
}

static void json_is_json_and_adds_up(void **state)
{
	struct session *session = *state;
	json_t *root, *context;
	json_int_t calls = 0;
	size_t bytes, i;
	char *text;

	free(session->catalog.functions[function_of('b')].name);
	session->catalog.functions[function_of('b')].name =
		memory_printf("not \xff utf-8 \"");
	add(session, "ab", 90);
	add(session, "ac", 4);
	end(session);
	text = written(&writer_json, session, whole, &bytes);
	root = json_loadb(text, bytes, 0, NULL);
	assert_non_null(root);
	json_array_foreach(json_object_get(root, "contexts"), i, context)
		calls += json_integer_value(json_object_get(context, "calls"));
	assert_int_equal(calls, 94);
	assert_int_equal(i, 3);
	json_decref(root);
	free(text);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, finish)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(one_function_is_one_row),
		TEST(recursion_is_counted_once),
		TEST(a_butterfly_divides_time_once),
		TEST(modules_are_rows_too),
		TEST(functions_left_out_have_no_time_of_a_call),
		TEST(rows_are_sorted_by_several_keys),
		TEST(hidden_functions_hand_their_callees_up),
		TEST(callers_are_exact),
		TEST(calls_take_no_more_room_than_they_need),
		TEST(equal_times_are_in_the_order_of_calls),
		TEST(callers_have_their_calls_beside_the_time),
		TEST(a_butterfly_shows_no_calls_of_what_is_not_hooked),
		TEST(a_callee_never_has_the_name_of_the_function),
		TEST(the_tree_is_drawn_with_rails),
		TEST(tree_shows_times_if_there_are_times),
		TEST(hidden_contexts_are_counted),
		TEST(output_of_a_deep_recursion_is_linear),
		TEST(json_is_json_and_adds_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
