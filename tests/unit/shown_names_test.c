/* SPDX-License-Identifier: MIT */
/* Tests that functions have short names in tables, but never the same one. */
#include "tests/unit/unit.h"

#include <stdlib.h>
#include <string.h>

#include "report/model/shown_names.h"

enum { ROOM_FOR_ALL = 0 };

struct table {
	struct catalog catalog;
	struct shown_names names;
	uint32_t functions[16];
	size_t count;
};

static uint32_t add_of_kind(struct table *table, enum function_kind kind,
			    const char *name)
{
	const uint32_t function =
		catalog_named(&table->catalog, kind, CATALOG_NO_MODULE, name);

	table->functions[table->count++] = function;
	return function;
}

static uint32_t add(struct table *table, const char *name)
{
	return add_of_kind(table, KIND_NATIVE, name);
}

static void begin(struct table *table, unsigned int room)
{
	*table = (struct table){ .names.room = room };
	catalog_init(&table->catalog);
}

static void settle(struct table *table)
{
	shown_names_add(&table->names, &table->catalog, table->functions,
			table->count);
}

static void assert_shown(struct table *table, uint32_t function,
			 const char *expected)
{
	assert_string_equal(
		shown_name(&table->names, &table->catalog, function), expected);
}

static void end(struct table *table)
{
	shown_names_fini(&table->names);
	catalog_fini(&table->catalog);
}

static void only_equal_names_get_longer(void **state)
{
	struct table table;
	uint32_t overload, other, first, second, alone;

	(void)state;
	begin(&table, ROOM_FOR_ALL);
	overload = add(&table, "f(int)");
	first = add(&table, "void g<std::map<a::Key, a::Order>, int>(int)");
	alone = add(&table, "void h<std::map<a::Key, a::Order>, int>(int)");
	second = add(&table, "void g<std::map<a::Key, a::Price>, int>(int)");
	other = add(&table, "f(char)");
	settle(&table);
	assert_shown(&table, overload, "f(int)");
	assert_shown(&table, other, "f(char)");
	assert_shown(&table, first, "g<std::map<a::Key, a::Order>, int>");
	assert_shown(&table, second, "g<std::map<a::Key, a::Price>, int>");
	assert_shown(&table, alone, "h<...>");
	end(&table);
}

static void outer_lists_come_before_inner_ones(void **state)
{
	struct table table;
	uint32_t first, second;

	(void)state;
	begin(&table, ROOM_FOR_ALL);
	first = add(&table, "f<a::Key, std::map<trading::Key, a::Order>>()");
	second = add(&table, "f<a::Order, std::map<trading::Key, a::Order>>()");
	settle(&table);
	assert_shown(&table, first, "f<a::Key, std::map<...>>");
	assert_shown(&table, second, "f<a::Order, std::map<...>>");
	end(&table);
}

static void a_later_function_never_takes_an_earlier_name(void **state)
{
	struct table table;
	uint32_t first, second;

	(void)state;
	begin(&table, ROOM_FOR_ALL);
	first = add(&table, "f(int)");
	second = add(&table, "f(char)");
	assert_shown(&table, first, "f");
	assert_shown(&table, second, "f(char)");
	assert_shown(&table, first, "f");
	end(&table);
}

static void clones_differ_from_their_functions(void **state)
{
	struct table table;
	uint32_t whole, clone;

	(void)state;
	begin(&table, ROOM_FOR_ALL);
	whole = add(&table, "parse");
	clone = add(&table, "parse.part.0");
	settle(&table);
	assert_shown(&table, whole, "parse");
	assert_shown(&table, clone, "parse.part.0");
	end(&table);
}

static void long_names_lose_lists_then_scopes_then_the_middle(void **state)
{
	struct table table;
	uint32_t list, scope, middle, inlined;

	(void)state;
	begin(&table, 20);
	list = add(&table, "a::Index<std::string, int>::find(int)");
	scope = add(&table, "trading::orders::Index::insert(int)");
	middle = add(&table, "a_function_with_a_long_name");
	inlined = add_of_kind(&table, KIND_INLINED, "trading::Index::at(int)");
	settle(&table);
	assert_shown(&table, list, "a::Index::find");
	assert_shown(&table, scope, "...::Index::insert");
	assert_shown(&table, middle, "a_functi...long_name");
	assert_shown(&table, inlined, "...::at");
	end(&table);
}

static void cut_names_stay_different(void **state)
{
	struct table table;
	uint32_t first, second;

	(void)state;
	begin(&table, 24);
	first = add(&table,
		    "trading::insert<trading::Index<std::string>>(int)");
	second = add(&table, "trading::insert<trading::Index<Order>>(int)");
	settle(&table);
	assert_shown(&table, first, "trading::i...d::string>>");
	assert_shown(&table, second, "trading::i...dex<Order>>");
	end(&table);
}

static void labels_have_the_short_name_of_each_function(void **state)
{
	struct table table;
	uint32_t context, line;

	(void)state;
	begin(&table, ROOM_FOR_ALL);
	context =
		add_of_kind(&table, KIND_GROUP, "f(int) <- a::g(int) <- main");
	line = add_of_kind(&table, KIND_GROUP, "/a/b.cc:12 in f(int)");
	settle(&table);
	assert_shown(&table, context, "f <- a::g <- main");
	assert_shown(&table, line, "/a/b.cc:12 in f");
	end(&table);
	begin(&table, 12);
	line = add_of_kind(&table, KIND_GROUP, "/a/b.cc:12 in f(int)");
	assert_shown(&table, line, "b.cc:12 in f");
	end(&table);
}

static void full_names_are_unchanged(void **state)
{
	struct table table;
	uint32_t function;

	(void)state;
	begin(&table, 12);
	table.names.are_full = 1;
	function = add(&table, "a::b::c::d(int)");
	settle(&table);
	assert_shown(&table, function, "a::b::c::d(int)");
	end(&table);
}

static void a_name_is_cut_to_the_rest_of_a_line(void **state)
{
	struct table table;
	char *name;
	uint32_t function;

	(void)state;
	begin(&table, ROOM_FOR_ALL);
	function = add(&table, "a::b::c::d(int)");
	name = shown_name_within(&table.names, &table.catalog, function, 9);
	assert_string_equal(name, "...::c::d");
	free(name);
	name = shown_name_within(&table.names, &table.catalog, function, 0);
	assert_string_equal(name, "a::b::c::d");
	free(name);
	end(&table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_equal_names_get_longer),
		cmocka_unit_test(outer_lists_come_before_inner_ones),
		cmocka_unit_test(a_later_function_never_takes_an_earlier_name),
		cmocka_unit_test(clones_differ_from_their_functions),
		cmocka_unit_test(
			long_names_lose_lists_then_scopes_then_the_middle),
		cmocka_unit_test(cut_names_stay_different),
		cmocka_unit_test(labels_have_the_short_name_of_each_function),
		cmocka_unit_test(full_names_are_unchanged),
		cmocka_unit_test(a_name_is_cut_to_the_rest_of_a_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
