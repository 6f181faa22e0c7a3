/* SPDX-License-Identifier: MIT */
/* Tests which function each form of a name denotes. */
#include "tests/unit/unit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/view/finder.h"

static const char *const names[] = {
	"main",
	"trading::parse(int)",
	"trading::parse(char const*)",
	"trading::parse(int) [clone .cold]",
	"json::parse(char const*)",
	"void trading::insert<std::map<trading::Key, trading::Order> >(int)",
	"void trading::insert<std::map<trading::Key, trading::Price> >(int)",
	"trading::Heap<trading::ByPrice>::push(trading::Order const&)",
	("std::__cxx11::basic_string<char, std::char_traits<char>, "
	 "std::allocator<char> >::append(char const*)"),
	"com.acme.Foo.bar(int)",
	"read_file",
	"read_file.constprop.0",
	"read_all",
	"variants(int)",
	"variants(int)::{lambda(int)#1}::operator()(int) const",
	"Diamond::f()",
	"virtual thunk to Diamond::f()",
	"(anonymous namespace)::pack(int)",
	"int (anonymous namespace)::pack<int>(int)",
	"io::serve(int)",
	"io::serve(io::serve(int)::_ZN2io5serveEi.Frame*) [clone .actor]",
	"io::serve(io::serve(int)::_ZN2io5serveEi.Frame*) [clone .destroy]",
	"io::poll(int)",
	"io::poll(int) [clone .resume]",
	"operator\"\" _km(long double)",
};

enum { NAMES = sizeof(names) / sizeof(*names) };

struct fixture {
	struct catalog catalog;
	uint32_t functions[NAMES];
};

static void begin(struct fixture *fixture)
{
	catalog_init(&fixture->catalog);
	for (size_t i = 0; i < NAMES; i++)
		fixture->functions[i] =
			catalog_named(&fixture->catalog, KIND_NATIVE,
				      CATALOG_NO_MODULE, names[i]);
}

/* Returns the only function that matches, or NULL. */
static const char *found_by(struct fixture *fixture, const char *text)
{
	struct found_functions found;
	const char *name = NULL;
	const int err = finder_find(&fixture->catalog, NULL, text, &found);

	if (err == -ESRCH)
		return NULL;
	if (err == 0)
		name = catalog_name(&fixture->catalog, found.functions[0]);
	found_fini(&found);
	return name;
}

static void one_match_is_taken(void **state)
{
	static const struct {
		const char *text;
		size_t name;
	} cases[] = {
		{ "main", 0 },
		{ "operator\"\"_km", NAMES - 1 },
		{ "operator\"\" _km", NAMES - 1 },
		{ "operator\"\"_km(long double)", NAMES - 1 },
		{ "trading::parse(int)", 1 },
		{ "parse(int)", 1 },
		{ "parse(char const*)", SIZE_MAX },
		{ "json::parse", 4 },
		{ "insert<std::map<trading::Key, trading::Price>>", 6 },
		{ "void trading::insert<std::map<trading::Key, trading::Price> "
		  ">(int)",
		  6 },
		{ "trading::insert<std::map<trading::Key, trading::Price> >",
		  6 },
		{ "push", 7 },
		{ "Heap::push", 7 },
		{ "Heap<trading::ByPrice>::push", 7 },
		{ "trading::Heap::push", 7 },
		{ "...::Heap<trading::ByPrice>::push", 7 },
		{ "std::string::append", 8 },
		{ "string::append", 8 },
		{ "append", 8 },
		{ "Foo.bar", 9 },
		{ "bar", 9 },
		{ "bar(int)", 9 },
		{ "read_file", 10 },
		{ "ead_al", 12 },
		{ "io::serve", 19 },
		{ "io::serve [clone .actor]", 20 },
		{ "serve [clone .destroy]", 21 },
		{ "io::poll", 22 },
		{ "poll", 22 },
		{ "io::poll [clone .resume]", 23 },
		{ "variants", 13 },
		{ "variants::{lambda#1}::operator()", 14 },
		{ "Diamond::f", 15 },
		{ "thunk to Diamond::f", 16 },
		{ "(anonymous)::pack", 17 },
		{ "(anonymous)::pack<int>", 18 },
		{ "^read.*l$", 12 },
		{ "parse", SIZE_MAX },
		{ "trading::insert", SIZE_MAX },
		{ "nothing", SIZE_MAX },
		{ "", SIZE_MAX },
		{ "(", SIZE_MAX },
		{ "::", SIZE_MAX },
		{ "0x", SIZE_MAX },
		{ "0x12", SIZE_MAX },
		{ "a.c:0", SIZE_MAX },
		{ "a.c:99999999999999999999", SIZE_MAX },
	};
	struct fixture fixture;

	(void)state;
	begin(&fixture);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const char *name = found_by(&fixture, cases[i].text);
		const char *expected =
			cases[i].name == SIZE_MAX ? NULL : names[cases[i].name];

		if (name != expected &&
		    (!name || !expected || strcmp(name, expected) != 0))
			fail_msg("%s: %s", cases[i].text, name ? name : "-");
	}
	catalog_fini(&fixture.catalog);
}

static void clones_are_one_match_with_their_function(void **state)
{
	struct fixture fixture;
	struct found_functions found;

	(void)state;
	begin(&fixture);
	assert_int_equal(
		finder_find(&fixture.catalog, NULL, "parse(int)", &found), 0);
	assert_int_equal(found.chosen[fixture.functions[1]], 1);
	found_fini(&found);
	catalog_fini(&fixture.catalog);
}

static void several_matches_are_listed(void **state)
{
	struct fixture fixture;
	struct found_functions found;

	(void)state;
	begin(&fixture);
	assert_int_equal(
		finder_find(&fixture.catalog, NULL, "trading::parse", &found),
		-ENOTUNIQ);
	assert_int_equal(found.count, 2);
	assert_int_equal(found.functions[0], fixture.functions[1]);
	assert_int_equal(found.functions[1], fixture.functions[2]);
	found_fini(&found);
	catalog_fini(&fixture.catalog);
}

static uint32_t add_module(struct catalog *catalog, const char *path)
{
	static const struct wire_module module;
	const struct module_record record = {
		.module = &module,
		.path = path,
		.path_bytes = (uint32_t)strlen(path),
	};
	struct catalog_list functions = { 0 };
	const uint32_t index = catalog_add_module(catalog, &record, &functions);

	free(functions.items);
	return index;
}

static void functions_of_the_program_are_listed_first(void **state)
{
	struct catalog catalog;
	struct found_functions found;
	uint32_t program, library, own;

	(void)state;
	catalog_init(&catalog);
	program = add_module(&catalog, "/bin/program");
	library = add_module(&catalog, "/lib/libstdc++.so.6");
	catalog_named(&catalog, KIND_NATIVE, library,
		      "std::domain_error::what()");
	own = catalog_named(&catalog, KIND_NATIVE, program, "domains()");
	assert_int_equal(finder_find(&catalog, NULL, "main", &found),
			 -ENOTUNIQ);
	assert_int_equal(found.is_by_regex, 1);
	assert_int_equal(found.count, 2);
	assert_int_equal(found.functions[0], own);
	found_fini(&found);
	assert_int_equal(finder_find(&catalog, NULL, "domains", &found), 0);
	assert_int_equal(found.is_by_regex, 0);
	found_fini(&found);
	catalog_fini(&catalog);
}

static uint32_t add_code(struct catalog *catalog, uint32_t module,
			 uint64_t vaddr, const char *name)
{
	const uint32_t function = catalog_function_at(catalog, module, vaddr);

	catalog->functions[function].name = strdup(name);
	return function;
}

static void an_address_in_a_cold_part_finds_the_whole_function(void **state)
{
	struct catalog catalog;
	struct found_functions found;
	uint32_t module, whole, other;
	uint8_t *called;

	(void)state;
	catalog_init(&catalog);
	module = add_module(&catalog, "/bin/program");
	add_code(&catalog, module, 0x1100, "f(int) [clone .cold]");
	whole = add_code(&catalog, module, 0x1200, "f(int)");
	other = add_code(&catalog, module, 0x1300, "f(char)");
	called = calloc(catalog.function_count, 1);
	called[whole] = called[other] = 1;
	assert_int_equal(
		finder_find(&catalog, called, "program+0x1145", &found), 0);
	assert_int_equal(found.chosen[whole], 1);
	assert_int_equal(found.chosen[other], 0);
	found_fini(&found);
	free(called);
	catalog_fini(&catalog);
}

static void each_function_has_a_text_that_finds_it(void **state)
{
	static const char *const texts[] = {
		[0] = "main",
		[2] = "trading::parse(char const*)",
		[4] = "json::parse",
		[5] = "trading::insert<std::map<trading::Key, "
		      "trading::Order>>",
		[7] = "trading::Heap::push",
		[8] = "std::string::append",
	};
	struct fixture fixture;

	(void)state;
	begin(&fixture);
	for (size_t i = 0; i < NAMES; i++) {
		char *text = finder_text(&fixture.catalog, NULL,
					 fixture.functions[i]);

		if (i < sizeof(texts) / sizeof(*texts) && texts[i])
			assert_string_equal(text, texts[i]);
		assert_non_null(found_by(&fixture, text));
		free(text);
	}
	catalog_fini(&fixture.catalog);
}

static void other_functions_than_the_candidates_do_not_count(void **state)
{
	struct fixture fixture;
	struct found_functions found;
	uint8_t *candidates;

	(void)state;
	begin(&fixture);
	candidates = calloc(fixture.catalog.function_count, 1);
	candidates[fixture.functions[2]] = 1;
	assert_int_equal(
		finder_find(&fixture.catalog, candidates, "parse", &found), 0);
	assert_int_equal(found.functions[0], fixture.functions[2]);
	found_fini(&found);
	assert_int_equal(
		finder_find(&fixture.catalog, candidates, "main", &found),
		-ESRCH);
	free(candidates);
	catalog_fini(&fixture.catalog);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_match_is_taken),
		cmocka_unit_test(clones_are_one_match_with_their_function),
		cmocka_unit_test(several_matches_are_listed),
		cmocka_unit_test(functions_of_the_program_are_listed_first),
		cmocka_unit_test(
			an_address_in_a_cold_part_finds_the_whole_function),
		cmocka_unit_test(each_function_has_a_text_that_finds_it),
		cmocka_unit_test(
			other_functions_than_the_candidates_do_not_count),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
