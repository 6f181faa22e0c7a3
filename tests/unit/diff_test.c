/* SPDX-License-Identifier: MIT */
/* How two sessions are laid over each other. */
#include "tests/unit/unit.h"

#include <string.h>

#include "base/memory.h"
#include "report/view/diff.h"

static const char *const everything[] = { "f", "g", "h", NULL };

static void add_module(struct catalog *catalog, const char *path)
{
	struct wire_module wire = { .state = 0 };
	const struct module_record record = {
		.module = &wire,
		.path = path,
		.path_bytes = (uint32_t)strlen(path),
	};
	uint32_t *none;

	catalog_add_module(catalog, &record, &none);
}

/* A session of functions of a module, called or not by one `main`. */
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

/* Of the nth function. */
static void add(struct session *session, uint32_t n, uint64_t calls,
		uint64_t ns)
{
	tree_add(&session->tree, n + 1,
		 &(struct measure){ .calls = calls, .ns = ns });
}

static void end(struct session *session)
{
	tree_sum(&session->tree);
}

static const struct diff_row *row_of(const struct diff *diff,
				     const struct diff_table *table,
				     const char *name)
{
	for (size_t i = 0; i < table->count; i++) {
		if (strcmp(catalog_name(diff->catalog, table->rows[i].function),
			   name) == 0)
			return &table->rows[i];
	}
	return NULL;
}

static void versions_of_a_module_are_one(void **state)
{
	static const struct selection all;
	struct session before, after;
	struct diff_table table;
	struct diff diff;

	(void)state;
	begin(&before, "/lib/liba.so.1.2", everything);
	begin(&after, "/opt/liba.so.1.3", everything);
	add(&before, 0, 1, 10);
	add(&after, 0, 2, 30);
	add(&after, 2, 5, 5);
	end(&before);
	end(&after);
	diff_init(&diff, &before, &after);
	diff_table_init(&table, &diff, &all, DIFF_SELF);
	assert_int_equal(table.count, 2);
	assert_ptr_equal(row_of(&diff, &table, "f"), &table.rows[0]);
	assert_int_equal(table.rows[0].before.self.ns, 10);
	assert_int_equal(table.rows[0].after.self.ns, 30);
	assert_int_equal(row_of(&diff, &table, "h")->before.self.calls, 0);
	assert_int_equal(tree_below(&diff.changes, TREE_ROOT).ns, 25);
	diff_table_fini(&table);
	diff_fini(&diff);
	session_close(&before);
	session_close(&after);
}

static void modules_of_other_names_stay_apart(void **state)
{
	static const struct selection all;
	struct session before, after;
	struct diff_table table;
	struct diff diff;

	(void)state;
	begin(&before, "/lib/liba.so", everything);
	begin(&after, "/lib/libb.so", everything);
	add(&before, 0, 1, 0);
	add(&after, 0, 1, 0);
	end(&before);
	end(&after);
	diff_init(&diff, &before, &after);
	diff_table_init(&table, &diff, &all, DIFF_CALLS);
	assert_int_equal(table.count, 2);
	diff_table_fini(&table);
	diff_fini(&diff);
	session_close(&before);
	session_close(&after);
}

/* 100 samples and 130 may be the same; 100 and 200 are not. */
static void chance_is_told_from_change(void **state)
{
	struct diff_row row = {
		.before.self = { .ns = 100000, .samples = 100 },
		.after.self = { .ns = 120000, .samples = 120 },
	};

	(void)state;
	assert_false(diff_is_significant(&row, DIFF_SELF));
	row.after.self = (struct measure){ .ns = 200000, .samples = 200 };
	assert_true(diff_is_significant(&row, DIFF_SELF));
	assert_true(diff_is_significant(&row, DIFF_CALLS));
	row.before.self.samples = row.after.self.samples = 0;
	row.after.self.ns = row.before.self.ns + 1;
	assert_true(diff_is_significant(&row, DIFF_SELF));
}

static void without_time_in_both_calls_are_compared(void **state)
{
	struct session before, after;
	struct diff diff;

	(void)state;
	begin(&before, "/lib/liba.so", everything);
	begin(&after, "/lib/liba.so", everything);
	after.metric = METRIC_CALLS;
	end(&before);
	end(&after);
	diff_init(&diff, &before, &after);
	assert_int_equal(diff.metric, METRIC_CALLS);
	diff_fini(&diff);
	session_close(&before);
	session_close(&after);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(versions_of_a_module_are_one),
		cmocka_unit_test(modules_of_other_names_stay_apart),
		cmocka_unit_test(chance_is_told_from_change),
		cmocka_unit_test(without_time_in_both_calls_are_compared),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
