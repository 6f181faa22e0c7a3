/* SPDX-License-Identifier: MIT */
/*
 * Compares the globs and extended regular expressions of match/ with those of
 * libc in the locale "C", and C++ names with symbols of GCC.
 */
#include "tests/unit/unit.h"

#include <errno.h>
#include <fnmatch.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "image/arena.h"
#include "match/cxx_name.h"
#include "match/ere.h"
#include "match/glob.h"

#define ROUNDS 20000

static uint64_t seed = 1;

static unsigned int random_below(unsigned int limit)
{
	seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407U;
	return (unsigned int)(seed >> 33) % limit;
}

/* Appends at most `most` random pieces to an empty string. */
static void compose(char *out, const char *const pieces[], unsigned int count,
		    unsigned int most)
{
	*out = '\0';
	for (unsigned int left = random_below(most + 1); left; left--)
		strcat(out, pieces[random_below(count)]);
}

#define COMPOSE(out, pieces, most)                                             \
	compose(out, pieces, sizeof(pieces) / sizeof(*(pieces)), most)

static const char *const texts[] = { "a", "b", "c", "ab", "_", " ", "A",
				     "1", ".", "*", "-",  "]", "/", "\\" };

/* ---- Globs ---- */

static void globs_are_libcs(void **state)
{
	static const char *const pieces[] = {
		"a",    "b",           "*",    "?",    "[ab]",   "[!a]",
		"[^a]", "[a-c]",       "\\*",  "\\a",  "]",      "-",
		"[]a]", "[[:alpha:]]", "/",    ".",    "[\\]a]", "[b-a]",
		"!",    "\\[",         "[a-]", "[[:]", "[.a]",   "**",
	};
	unsigned int matched = 0;

	for (int i = 0; i < ROUNDS; i++) {
		char glob[128], text[64];

		COMPOSE(glob, pieces, 6);
		COMPOSE(text, texts, 6);
		matched += (unsigned int)glob_matches(glob, text);
		if (glob_matches(glob, text) != !fnmatch(glob, text, 0))
			fail_msg("'%s' and '%s'", glob, text);
	}
	assert_in_range(matched, ROUNDS / 100, ROUNDS / 2);
}

static void a_bracket_that_is_not_closed_stands_for_itself(void **state)
{
	assert_true(glob_matches("a[b", "a[b"));
	assert_false(glob_matches("a[b", "ab"));
	assert_true(glob_matches("[", "["));
}

static void a_glob_of_files_is_for_the_path_if_it_has_a_slash(void **state)
{
	assert_true(glob_matches_file("lib*", "/usr/lib/libc.so.6"));
	assert_true(glob_matches_file("/usr/*", "/usr/lib/libc.so.6"));
	assert_true(glob_matches_file("*/libc*", "/usr/lib/libc.so.6"));
	assert_false(glob_matches_file("usr*", "/usr/lib/libc.so.6"));
	assert_false(glob_matches_file("/usr/lib", "/usr/lib/libc.so.6"));
	assert_true(glob_matches_file("app", "app"));
	assert_true(glob_matches_file("", "/usr/"));
}

static void a_glob_of_many_stars_takes_no_time(void **state)
{
	char text[4096];

	memset(text, 'a', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	assert_false(glob_matches("*a*a*a*a*a*a*a*a*a*a*a*a*b", text));
}

/* ---- Expressions ---- */

static const char *const pieces[] = {
	"a",    "b",       "c",           "ab",  ".",     "*",
	"+",    "?",       "|",           "(",   ")",     "[ab]",
	"[^a]", "[a-c]",   "^",           "$",   "{2}",   "{1,2}",
	"{,2}", "{1,}",    "{0}",         "\\b", "\\B",   "\\<",
	"\\>",  "\\w",     "\\W",         "_",   " ",     "\\.",
	"[]a]", "[b-]",    "[[:alpha:]]", "()",  "\\`",   "\\'",
	"{",    "}",       "[",           "]",   "-",     "\\s",
	"\\S",  "[[.a.]]", "[a-b-c]",     "{,}", "{2,1}", "[[=b=]]",
	"\\",   "[c-a]",   "[[:no:]]",
};

static void compare(struct ere *ere, const regex_t *regex, const char *pattern,
		    unsigned int *matched)
{
	for (int i = 0; i < 8; i++) {
		char text[64];
		int wanted;

		COMPOSE(text, texts, 6);
		wanted = !regexec(regex, text, 0, NULL, 0);
		*matched += (unsigned int)wanted;
		if (ere_matches(ere, text) != wanted)
			fail_msg("'%s' and '%s'", pattern, text);
	}
}

static void expressions_are_libcs(void **state)
{
	unsigned int compiled = 0, matched = 0;

	for (int i = 0; i < ROUNDS; i++) {
		struct arena arena = { 0 };
		char pattern[128];
		const char *why = NULL;
		struct ere ere;
		regex_t regex;
		int refused, err;

		COMPOSE(pattern, pieces, 8);
		refused = regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB);
		err = ere_compile(&ere, pattern, arena_memory, &arena, &why);
		if (!refused != !err)
			fail_msg("'%s': %s", pattern, err ? why : "no error");
		if (!err)
			compare(&ere, &regex, pattern, &matched);
		compiled += !err;
		if (!refused)
			regfree(&regex);
		arena_fini(&arena);
	}
	assert_true(compiled > ROUNDS / 10 && matched > ROUNDS / 10);
}

static int compile(const char *pattern, struct ere *ere, struct arena *arena)
{
	const char *why = NULL;
	int err = ere_compile(ere, pattern, arena_memory, arena, &why);

	assert_true(!err == !why);
	return err;
}

static void unsupported_patterns_are_refused(void **state)
{
	static const struct {
		const char *pattern;
		int err;
	} wanted[] = {
		{ "(a)\\1", -EINVAL },
		{ "a{1000}{1000}", -E2BIG },
		{ "a{32768}", -EINVAL },
		{ "((((a{99}){99}){99}){99}){99}", -E2BIG },
		{ "(", -EINVAL },
		{ "*", -EINVAL },
		{ "[a", -EINVAL },
		{ "\\", -EINVAL },
		{ "[[:alpha", -EINVAL },
	};
	struct arena arena = { 0 };
	struct ere ere;

	for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++)
		assert_int_equal(compile(wanted[i].pattern, &ere, &arena),
				 wanted[i].err);
	arena_fini(&arena);
}

static void parentheses_may_not_be_any_depth(void **state)
{
	static char pattern[2 * 100000 + 2];
	struct arena arena = { 0 };
	struct ere ere;

	memset(pattern, '(', 100000);
	memset(pattern + 100000, ')', 100000);
	assert_int_equal(compile(pattern, &ere, &arena), -E2BIG);
	memset(pattern, '?', sizeof(pattern) - 1);
	pattern[0] = 'a';
	assert_int_equal(compile(pattern, &ere, &arena), -E2BIG);
	assert_int_equal(compile("((((((((((a))))))))))", &ere, &arena), 0);
	assert_true(ere_matches(&ere, "ba"));
	arena_fini(&arena);
}

/* Backtracking matchers take up to 2^40 steps for expressions like these. */
static void no_expression_takes_for_ever(void **state)
{
	struct arena arena = { 0 };
	struct ere ere;

	assert_int_equal(compile("^(a*)*(a*)*(a|aa)+$", &ere, &arena), 0);
	assert_false(
		ere_matches(&ere, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab"));
	assert_int_equal(compile("(a?){40}a{40}$", &ere, &arena), 0);
	assert_true(
		ere_matches(&ere, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"));
	assert_int_equal(compile("(()*)*x", &ere, &arena), 0);
	assert_false(ere_matches(&ere, "aaaa"));
	arena_fini(&arena);
}

static void bytes_beyond_ascii_are_bytes(void **state)
{
	struct arena arena = { 0 };
	struct ere ere;

	assert_int_equal(compile("^..$", &ere, &arena), 0);
	assert_true(ere_matches(&ere, "\303\251"));
	assert_int_equal(compile("^[\303\251]+$", &ere, &arena), 0);
	assert_true(ere_matches(&ere, "\251\303"));
	assert_true(glob_matches("??", "\303\251"));
	arena_fini(&arena);
}

/* ---- Names of C++ ---- */

static const struct {
	const char *name, *symbol;
} named[] = {
	{ "f", "_Z1fi" },
	{ "f", "_ZL1fv" },
	{ "f", "_Z1fIiEvT_" },
	{ "std::f", "_ZSt1fv" },
	{ "std::swap", "_ZSt4swapIPcEvRT_S2_" },
	{ "shop::total", "_ZN4shop5totalERKNS_4ItemEm" },
	{ "shop::Cart::add", "_ZN4shop4Cart3addEi" },
	{ "shop::Cart::add", "_ZNK4shop4Cart3addEv" },
	{ "shop::Cart::add", "_ZNO4shop4Cart3addEv" },
	{ "shop::Cart::Cart", "_ZN4shop4CartC1Ev" },
	{ "shop::Cart::Cart", "_ZN4shop4CartC2IiEET_" },
	{ "shop::Cart::~Cart", "_ZN4shop4CartD0Ev" },
	{ "shop::Box::get", "_ZN4shop3BoxIsE3getEv" },
	{ "shop::Box::get", "_ZN4shop3BoxINS_4KindEE3getEv" },
	{ "shop::Box::get", "_ZN4shop3BoxILi5EE3getEv" },
	{ "shop::Box::get", "_ZN4shop3BoxILNS_4KindE1EE3getEv" },
	{ "shop::Box::get", "_ZN4shop3BoxIXadL_Z1fvEEE3getEv" },
	{ "shop::Box::get", "_ZN4shop3BoxIFviEA5_cS1A_T_E3getIlEEvT_" },
	{ "shop::Box::get", "_ZN4shop3BoxIJiDpT_DtfpEEE3getEv" },
	{ "hidden", "_ZN12_GLOBAL__N_16hiddenEv" },
	{ "shop::hidden", "_ZN4shop12_GLOBAL__N_1L6hiddenEv" },
	{ "shop::text", "_ZN4shop4textB5cxx11Ev" },
	{ "std::to", "_ZNSt7__cxx112toEi" },
};

/*
 * Names of other symbols, of symbols that are no functions, and invalid
 * symbols.
 */
static const struct {
	const char *name, *symbol;
} not_named[] = {
	{ "f", "f" },
	{ "f", "_Z1g" },
	{ "f", "_Z1f" },
	{ "f", "_Z2fgv" },
	{ "f", "_ZN4shop1fEv" },
	{ "total", "_ZN4shop5totalEv" },
	{ "shop::total", "_ZN4shop5totalE" },
	{ "shop::total", "_ZN4shop5totalEi.cold" },
	{ "shop::total", "_ZN4shop5totalC1Ev" },
	{ "shop::total::total", "_ZN4shop5totalEv" },
	{ "shop", "_ZN4shop5totalEv" },
	{ "shop::Cart::Bag", "_ZN4shop4CartC1Ev" },
	{ "shop::Cart::~Bag", "_ZN4shop4CartD1Ev" },
	{ "shop::Cart::Cart", "_ZN4shop4CartD1Ev" },
	{ "shop::Cart::", "_ZN4shop4Cart3addEi" },
	{ "::f", "_Z1fv" },
	{ "", "_Z1fv" },
	{ "f", "_Z" },
	{ "f", "_ZN" },
	{ "f", "_Z99999999999999999999f" },
	{ "f", "_Z1fI" },
	{ "f", "_Z1fIS" },
	{ "f", "_Z1fILi" },
	{ "f", "_Z1fIZ1gvEv" },
	{ "f", "_ZTV1f" },
};

static void names_are_of_their_symbols(void **state)
{
	for (size_t i = 0; i < sizeof(named) / sizeof(*named); i++)
		if (!cxx_name_means(named[i].name, named[i].symbol))
			fail_msg("%s is not %s", named[i].symbol,
				 named[i].name);
	for (size_t i = 0; i < sizeof(not_named) / sizeof(*not_named); i++)
		if (cxx_name_means(not_named[i].name, not_named[i].symbol))
			fail_msg("%s is %s", not_named[i].symbol,
				 not_named[i].name);
}

/* Symbols in files may have any bytes. The parser must stop at their ends. */
static void no_symbol_is_read_beyond_its_end(void **state)
{
	static const char *const bits[] = {
		"_Z",
		"N",
		"E",
		"I",
		"L",
		"S",
		"St",
		"T_",
		"Z",
		"X",
		"A",
		"D",
		"Dt",
		"C1",
		"D2",
		"1f",
		"4shop",
		"9",
		"12_GLOBAL__N_1",
		"B5cxx11",
		"J",
		"F",
		"Li",
		"i",
		"_",
		"K",
		".",
	};

	for (int i = 0; i < ROUNDS; i++) {
		char text[256] = "_ZN4shop", *symbol;

		COMPOSE(text + (random_below(2) ? 8 : 0), bits, 12);
		symbol = strdup(text);
		assert_non_null(symbol);
		cxx_name_means("shop::f", symbol);
		cxx_name_means("f", symbol);
		free(symbol);
	}
}

static void arguments_may_not_be_any_depth(void **state)
{
	char symbol[4096] = "_Z1f";

	memset(symbol + 4, 'I', sizeof(symbol) - 5);
	assert_false(cxx_name_means("f", symbol));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(globs_are_libcs),
		cmocka_unit_test(
			a_bracket_that_is_not_closed_stands_for_itself),
		cmocka_unit_test(
			a_glob_of_files_is_for_the_path_if_it_has_a_slash),
		cmocka_unit_test(a_glob_of_many_stars_takes_no_time),
		cmocka_unit_test(expressions_are_libcs),
		cmocka_unit_test(unsupported_patterns_are_refused),
		cmocka_unit_test(parentheses_may_not_be_any_depth),
		cmocka_unit_test(no_expression_takes_for_ever),
		cmocka_unit_test(bytes_beyond_ascii_are_bytes),
		cmocka_unit_test(names_are_of_their_symbols),
		cmocka_unit_test(no_symbol_is_read_beyond_its_end),
		cmocka_unit_test(arguments_may_not_be_any_depth),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
