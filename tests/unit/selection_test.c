/* SPDX-License-Identifier: MIT */
/* Tests which functions a name denotes. */
#include "tests/unit/unit.h"

#include <stdlib.h>

#include "report/view/selection.h"

static int is_named(const char *full, const char *name)
{
	struct catalog catalog;
	uint8_t *chosen;
	uint32_t function;
	int is;

	catalog_init(&catalog);
	function =
		catalog_named(&catalog, KIND_NATIVE, CATALOG_NO_MODULE, full);
	chosen = selection_named(&catalog, name);
	is = chosen && chosen[function];
	free(chosen);
	catalog_fini(&catalog);
	return is;
}

static void functions_are_found_by_their_bare_names(void **state)
{
	static const struct {
		const char *full, *name;
		int is;
	} cases[] = {
		{ "f(int)", "f", 1 },
		{ "f(int)", "f(int)", 1 },
		{ "f(int) [clone .isra.0]", "f", 1 },
		{ "ff(int)", "f", 0 },
		{ "ns::f(int)", "f", 0 },
		{ "long f<long>(long)", "f<long>", 1 },
		{ "long f<long>(long)", "long f<long>", 1 },
		{ "long f<long>(long)", "f<long>(long)", 1 },
		{ "long f<long>(long)", "long", 0 },
		{ "unsigned long f<a, b>(a (*)(b))", "f<a, b>", 1 },
		{ "std::map<a b, c> n::f<(x)1>(int)", "n::f<(x)1>", 1 },
		{ "int (anonymous namespace)::f<int>()",
		  "(anonymous namespace)::f<int>", 1 },
		{ "bool operator< <int>(a, b)", "operator< <int>", 1 },
		{ "operator new(unsigned long)", "operator new", 1 },
		{ "operator new(unsigned long)", "new", 0 },
		{ "f(a b)", "b)", 0 },
		{ "f(int) const &", "f", 1 },
		{ "f(int) const [clone .cold]", "f", 1 },
		{ "f(a (*)(b::c))", "f", 1 },
		{ "f(int)::{lambda(int)#1}::operator()(int) const", "f", 0 },
		{ "f(int)::{lambda(int)#1}::operator()(int) const",
		  "f(int)::{lambda(int)#1}::operator()", 1 },
		{ "auto f<int>(int) const::{lambda(auto:1)#1}::operator()<int>"
		  "(int) const",
		  "f<int>", 0 },
		{ "f(int)::local::g(char)", "f", 0 },
		{ "f::$_3::operator()(int) const", "f::$_3::operator()", 1 },
		{ "f::$_3::operator()(int) const::{lambda()#1}::operator()() "
		  "const",
		  "f::$_3::operator()", 0 },
		{ "a.f(int).g(char)", "a.f", 0 },
		{ "a::(anonymous namespace)::f(int)", "a::", 0 },
		{ "non-virtual thunk to A::f()", "A::f", 0 },
		{ "virtual thunk to A::f()", "A::f", 0 },
		{ "virtual thunk to A::f()", "virtual thunk to A::f", 1 },
		{ "com.acme.Foo.bar(Ljava/lang/String;)V", "com.acme.Foo.bar",
		  1 },
		{ "", "f", 0 },
		{ ">) (<", "<", 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		if (is_named(cases[i].full, cases[i].name) != cases[i].is)
			fail_msg("%s: %s", cases[i].full, cases[i].name);
	}
}

static void a_plain_name_finds_its_function(void **state)
{
	static const struct {
		const char *full, *plain;
	} cases[] = {
		{ "long f<long>(long) const", "f<long>" },
		{ "a::(anonymous namespace)::f(int)",
		  "a::(anonymous namespace)::f" },
		{ "f(int)::local::g(char)", "f(int)::local::g" },
		{ "a.f(int).g(char)", "a.f(int).g" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char *plain = selection_plain_name(cases[i].full);

		assert_string_equal(plain, cases[i].plain);
		assert_true(is_named(cases[i].full, plain));
		free(plain);
	}
}

static int is_selected(const char *full, const char *regex)
{
	struct catalog catalog;
	struct selection selection = { 0 };
	regex_t compiled;
	uint32_t function;
	int is;

	assert_int_equal(regcomp(&compiled, regex, REG_EXTENDED), 0);
	catalog_init(&catalog);
	function =
		catalog_named(&catalog, KIND_NATIVE, CATALOG_NO_MODULE, full);
	selection.function = &compiled;
	is = selection_has_function(&selection, &catalog, function);
	catalog_fini(&catalog);
	regfree(&compiled);
	return is;
}

static void expressions_match_full_and_short_names(void **state)
{
	(void)state;
	assert_true(is_selected("burn(int)", "^burn$"));
	assert_true(is_selected("burn(int)", "^burn\\(int\\)$"));
	assert_true(is_selected("void packs<int, char>(int, char)", "^packs<"));
	assert_true(is_selected("void packs<int, char>(int, char)", "^void p"));
	assert_true(is_selected("Tagged[abi:new]::go()", "Tagged::go"));
	assert_false(is_selected("burn(int)", "^urn$"));
}

static void the_nearest_name_is_the_shortest(void **state)
{
	static const char *const names[] = { "int ab<c>()", "cab", "b" };
	struct catalog catalog;

	(void)state;
	catalog_init(&catalog);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		catalog_named(&catalog, KIND_NATIVE, CATALOG_NO_MODULE,
			      names[i]);
	assert_string_equal(selection_nearest(&catalog, "b<"), "int ab<c>()");
	assert_string_equal(selection_nearest(&catalog, "ab"), "cab");
	assert_null(selection_nearest(&catalog, "nothing"));
	catalog_fini(&catalog);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_are_found_by_their_bare_names),
		cmocka_unit_test(a_plain_name_finds_its_function),
		cmocka_unit_test(expressions_match_full_and_short_names),
		cmocka_unit_test(the_nearest_name_is_the_shortest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
