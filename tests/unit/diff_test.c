/* SPDX-License-Identifier: MIT */
/* Tests of the comparison of two sessions. */
#include "tests/unit/unit.h"

#include <string.h>

#include "base/memory.h"
#include "report/view/diff.h"
#include "report/view/match.h"

static const char *const everything[] = { "f", "g", "h", NULL };

static void add_build(struct catalog *catalog, const char *path,
		      unsigned int build)
{
	struct wire_module wire = {
		.state = 0,
		.build_id_bytes = build ? 1 : 0,
		.build_id = { (unsigned char)build },
	};
	const struct module_record record = {
		.module = &wire,
		.path = path,
		.path_bytes = (uint32_t)strlen(path),
	};
	struct catalog_list none;

	catalog_add_module(catalog, &record, &none);
}

static void add_module(struct catalog *catalog, const char *path)
{
	add_build(catalog, path, 0);
}

/* Begins a session with functions of a module, all below the root. */
static void begin(struct session *session, const char *module,
		  const char *const *functions)
{
	struct catalog *catalog = &session->catalog;

	*session = (struct session){ .metric = METRIC_TIME };
	catalog_init(catalog);
	add_module(catalog, "/bin/program");
	add_module(catalog, module);
	tree_init(&session->tree);
	for (; *functions; functions++) {
		uint32_t function =
			catalog_named(catalog, KIND_NATIVE, 1, *functions);

		tree_child(&session->tree, TREE_ROOT, function);
	}
}

/* Adds calls and time to the nth function. */
static void add(struct session *session, uint32_t n, uint64_t calls,
		uint64_t ns)
{
	tree_add(&session->tree, n + 1,
		 &(struct measure){ .calls = calls, .ns = ns });
}

/* Two sessions, their differences, and a table of these. */
static struct {
	struct session before, after;
	struct diff diff;
	struct diff_table table;
} two;

/* Begins two sessions with functions f, g and h of these modules. */
static void begin_two(const char *before, const char *after)
{
	begin(&two.before, before, everything);
	begin(&two.after, after, everything);
}

static void compare(void)
{
	tree_sum(&two.before.tree);
	tree_sum(&two.after.tree);
	diff_init(&two.diff, &two.before, &two.after);
}

static void make_table(enum diff_key key)
{
	static const struct selection all;

	diff_table_init(&two.table, &two.diff, &all, key);
}

static void close_two(void)
{
	diff_fini(&two.diff);
	session_close(&two.before);
	session_close(&two.after);
}

static const struct diff_row *row_of(const char *name)
{
	for (size_t i = 0; i < two.table.count; i++) {
		const struct diff_row *row = &two.table.rows[i];

		if (strcmp(catalog_name(two.diff.catalog, row->function),
			   name) == 0)
			return row;
	}
	return NULL;
}

static void versions_of_a_module_are_one(void **state)
{
	begin_two("/lib/liba.so.1.2", "/opt/liba.so.1.3");
	add(&two.before, 0, 1, 10);
	add(&two.after, 0, 2, 30);
	add(&two.after, 2, 5, 5);
	compare();
	make_table(DIFF_SELF);
	assert_int_equal(two.table.count, 2);
	assert_ptr_equal(row_of("f"), &two.table.rows[0]);
	assert_int_equal(two.table.rows[0].before.self.ns, 10);
	assert_int_equal(two.table.rows[0].after.self.ns, 30);
	assert_int_equal(row_of("h")->before.self.calls, 0);
	assert_int_equal(tree_below(&two.diff.changes, TREE_ROOT).ns, 25);
	diff_table_fini(&two.table);
	close_two();
}

static void modules_of_other_names_stay_apart(void **state)
{
	begin_two("/lib/liba.so", "/lib/libb.so");
	add(&two.before, 0, 1, 0);
	add(&two.after, 0, 1, 0);
	compare();
	make_table(DIFF_CALLS);
	assert_int_equal(two.table.count, 2);
	diff_table_fini(&two.table);
	close_two();
}

/* Adds samples of 1 ms each to the nth function. */
static void add_samples(struct session *session, uint32_t n, uint64_t samples)
{
	tree_add(&session->tree, n + 1,
		 &(struct measure){ .ns = samples * 1000000,
				    .samples = samples });
}

/*
 * Returns whether the difference of f is significant between two sessions where
 * f has these samples. The times of g differ by chance, and h has calls but no
 * samples.
 */
static int is_f_significant(uint64_t samples_before, uint64_t samples_after)
{
	int is;

	begin_two("/lib/liba.so", "/lib/liba.so");
	add_samples(&two.before, 0, samples_before);
	add_samples(&two.after, 0, samples_after);
	add_samples(&two.before, 1, 500);
	add_samples(&two.after, 1, 520);
	add(&two.before, 2, 7, 0);
	add(&two.after, 2, 7, 0);
	compare();
	make_table(DIFF_SELF);
	is = row_of("f")->is_significant;
	assert_false(row_of("g")->is_significant);
	assert_false(row_of("h")->is_significant);
	diff_table_fini(&two.table);
	close_two();
	return is;
}

static void random_changes_of_time_are_not_significant(void **state)
{
	assert_false(is_f_significant(100, 120));
	assert_true(is_f_significant(100, 200));
	assert_false(is_f_significant(0, 5));
	assert_true(is_f_significant(0, 10));
	assert_false(is_f_significant(100, 100));
}

/* h is called once more, and its time, which is exact, does not change. */
static void only_the_shown_key_counts(void **state)
{
	begin_two("/lib/liba.so", "/lib/liba.so");
	add(&two.before, 0, 1, 10);
	add(&two.after, 0, 1, 11);
	add(&two.before, 2, 7, 5);
	add(&two.after, 2, 8, 5);
	compare();
	make_table(DIFF_SELF);
	assert_true(row_of("f")->is_significant);
	assert_false(row_of("h")->is_significant);
	diff_table_fini(&two.table);
	make_table(DIFF_CALLS);
	assert_false(row_of("f")->is_significant);
	assert_true(row_of("h")->is_significant);
	assert_ptr_equal(row_of("h"), &two.table.rows[0]);
	diff_table_fini(&two.table);
	close_two();
}

static void calls_are_compared_unless_both_have_times(void **state)
{
	begin_two("/lib/liba.so", "/lib/liba.so");
	two.after.metric = METRIC_CALLS;
	compare();
	assert_int_equal(two.diff.metric, METRIC_CALLS);
	close_two();
}

/* ---- Modules ---- */

static unsigned int draw(unsigned int limit)
{
	static uint64_t seed = 7;

	seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407U;
	return (unsigned int)(seed >> 33) % limit;
}

static void add_random_modules(struct catalog *catalog, unsigned int count)
{
	char path[64];

	for (unsigned int i = 0; i < count; i++) {
		snprintf(path, sizeof(path), "/lib%u/lib%u.so.%u", draw(9),
			 draw(30), draw(3));
		add_build(catalog, path, draw(40));
	}
}

static size_t stem_of(const char *name)
{
	return (size_t)(strstr(name, ".so") - name);
}

static int have_one_build(const struct catalog_module *a,
			  const struct catalog_module *b)
{
	return a->build_id.bytes && b->build_id.bytes &&
	       a->build_id.data[0] == b->build_id.data[0];
}

static int have_one_stem(const struct catalog_module *a,
			 const struct catalog_module *b)
{
	return stem_of(a->name) == stem_of(b->name) &&
	       strncmp(a->name, b->name, stem_of(a->name)) == 0;
}

/*
 * Returns the last module of the same build, or the first one of the same name.
 */
static uint32_t wanted_home(const struct catalog *to, size_t count,
			    const struct catalog_module *module,
			    uint32_t *build)
{
	uint32_t home = CATALOG_NO_MODULE;

	*build = 0;
	for (size_t j = 0; j < count; j++) {
		if (have_one_build(module, &to->modules[j]))
			*build = (uint32_t)j + 1;
		else if (home == CATALOG_NO_MODULE &&
			 have_one_stem(module, &to->modules[j]))
			home = (uint32_t)j;
	}
	return *build ? *build - 1 : home;
}

static void modules_match_by_build_then_by_name(void **state)
{
	unsigned int builds = 0, names = 0;

	(void)state;
	for (int round = 0; round < 100; round++) {
		struct catalog from, to;
		struct match match;
		struct tree tree;
		size_t count;

		catalog_init(&from);
		catalog_init(&to);
		tree_init(&tree);
		add_random_modules(&from, 40);
		add_random_modules(&to, draw(40));
		count = to.module_count;
		match_init(&match, &from, &to, &tree);
		for (size_t i = 0; i < from.module_count; i++) {
			uint32_t build;
			const uint32_t home = wanted_home(
				&to, count, &from.modules[i], &build);

			assert_int_equal(match.builds[i], build);
			builds += build > 0;
			names += !build && home != CATALOG_NO_MODULE;
			if (home != CATALOG_NO_MODULE)
				assert_int_equal(match.homes[i], home);
			else
				assert_true(match.homes[i] >= count);
		}
		match_fini(&match);
		tree_fini(&tree);
		catalog_fini(&from);
		catalog_fini(&to);
	}
	assert_true(builds > 500 && names > 500);
}

/*
 * A catalog has fewer than 65,536 modules, so the last ones have no
 * counterpart.
 */
static void more_modules_than_a_catalog_has_are_matched(void **state)
{
	struct catalog from, to;
	struct match match;
	struct tree tree;
	uint32_t function, found;
	char path[64];

	(void)state;
	catalog_init(&from);
	catalog_init(&to);
	tree_init(&tree);
	for (unsigned int i = 0; i < 40000; i++) {
		snprintf(path, sizeof(path), "/from/a%u.so", i);
		add_module(&from, path);
		snprintf(path, sizeof(path), "/to/b%u.so", i);
		add_module(&to, path);
	}
	function = catalog_named(&from, KIND_NATIVE, 39999, "last");
	match_init(&match, &from, &to, &tree);
	assert_int_equal(match.homes[0], 40000);
	assert_int_equal(match.homes[39999], CATALOG_NO_MODULE);
	found = match_function(&match, function);
	assert_string_equal(catalog_name(&to, found), "last");
	match_fini(&match);
	tree_fini(&tree);
	catalog_fini(&from);
	catalog_fini(&to);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(versions_of_a_module_are_one),
		cmocka_unit_test(modules_of_other_names_stay_apart),
		cmocka_unit_test(random_changes_of_time_are_not_significant),
		cmocka_unit_test(only_the_shown_key_counts),
		cmocka_unit_test(modules_match_by_build_then_by_name),
		cmocka_unit_test(more_modules_than_a_catalog_has_are_matched),
		cmocka_unit_test(calls_are_compared_unless_both_have_times),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
