/* SPDX-License-Identifier: MIT */
#include "tests/unit/unit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "base/display_text.h"
#include "base/hash_index.h"
#include "base/idmap.h"
#include "base/strings.h"

static void idmap_returns_stored_values(void **state)
{
	struct idmap map = { 0 };
	uint64_t missing = 0;

	(void)state;
	for (uint64_t id = 1; id <= 100000; id++)
		*idmap_at(&map, id << 40) = id;
	for (uint64_t id = 1; id <= 100000; id++) {
		const uint64_t *value = idmap_find(&map, id << 40);

		missing += !value || *value != id;
	}
	assert_int_equal(missing, 0);
	assert_null(idmap_find(&map, 7));
	assert_int_equal(map.used, 100000);
	idmap_fini(&map);
}

static void idmap_keeps_all_when_room_is_made(void **state)
{
	struct idmap map = { 0 };

	(void)state;
	*idmap_at(&map, 7) = 70;
	idmap_reserve(&map, 5000);
	for (uint64_t id = 8; id < 5000; id++)
		*idmap_at(&map, id) = 10 * id;
	idmap_reserve(&map, 10);
	for (uint64_t id = 7; id < 5000; id++)
		assert_int_equal(*idmap_find(&map, id), 10 * id);
	assert_int_equal(map.used, 4993);
	idmap_fini(&map);
}

static void idmap_finds_nothing_when_empty(void **state)
{
	struct idmap map = { 0 };

	(void)state;
	assert_null(idmap_find(&map, 1));
	*idmap_at(&map, 1) = 1;
	assert_null(idmap_find(&map, 0));
	idmap_fini(&map);
}

/* Returns one of only 1,000 hashes, so that items collide often. */
static uint32_t crowded_hash(uint64_t key)
{
	return hash_of_word(key % 1000);
}

static struct hash_slot *crowded_slot(const struct hash_index *index,
				      const uint64_t *keys, uint64_t key)
{
	const uint32_t hash = crowded_hash(key);
	struct hash_slot *at = hash_index_first(index, hash);

	while (at->item && keys[at->item - 1] != key)
		at = hash_index_next(index, hash, at);
	return at;
}

static void an_index_finds_each_key_of_one_hash(void **state)
{
	enum { KEYS = 20000 };
	struct hash_index index = { 0 };
	uint64_t *keys = calloc(KEYS, sizeof(*keys));

	(void)state;
	for (uint32_t i = 0; i < KEYS; i++) {
		hash_index_reserve(&index, index.used + 1);
		keys[i] = 7 * (uint64_t)i;
		hash_index_enter(&index, crowded_slot(&index, keys, keys[i]),
				 crowded_hash(keys[i]), i);
	}
	for (uint32_t i = 0; i < KEYS; i++)
		assert_int_equal(crowded_slot(&index, keys, keys[i])->item,
				 i + 1);
	assert_int_equal(crowded_slot(&index, keys, 1)->item, 0);
	assert_int_equal(index.used, KEYS);
	assert_in_range(index.used, 0, ((size_t)3 << index.log2) / 4);
	hash_index_fini(&index);
	free(keys);
}

static void durations_have_three_digits_and_a_unit(void **state)
{
	static const struct {
		uint64_t ns;
		const char *text;
	} cases[] = {
		{ 0, "0" },
		{ 1, "1 ns" },
		{ 999, "999 ns" },
		{ 1000, "1.00 us" },
		{ 9994, "9.99 us" },
		{ 9996, "10.0 us" },
		{ 99960, "100 us" },
		{ 999499, "999 us" },
		{ 999500, "1.00 ms" },
		{ 12345678, "12.3 ms" },
		{ 59876000000, "59.9 s" },
		{ 1234567000000000, "1,234,567 s" },
		{ UINT64_MAX, "18,446,744,074 s" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		assert_string_equal(text_duration(cases[i].ns).text,
				    cases[i].text);
}

static void percentages_have_two_digits_and_no_exponent(void **state)
{
	static const struct {
		double percent;
		const char *text;
	} cases[] = {
		{ 0, "0" },           { 1.234e-7, "0.00000012" },
		{ 1e-5, "0.000010" }, { 0.000123, "0.00012" },
		{ 0.0456, "0.046" },  { 9.94, "9.9" },
		{ 9.96, "10" },       { 99.4, "99" },
		{ 99.5, "100" },      { 99.7, "100" },
		{ 100, "100" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		assert_string_equal(text_percentage(cases[i].percent).text,
				    cases[i].text);
}

static void numbers_are_grouped_by_thousands(void **state)
{
	(void)state;
	assert_string_equal(text_grouped(0).text, "0");
	assert_string_equal(text_grouped(999).text, "999");
	assert_string_equal(text_grouped(1000).text, "1,000");
	assert_string_equal(text_grouped(UINT64_MAX).text,
			    "18,446,744,073,709,551,615");
}

static void escape_sequences_do_not_reach_the_terminal(void **state)
{
	char text[] = "a\033[2Jb\x7f";

	(void)state;
	assert_string_equal(text_printable(text), "a?[2Jb?");
}

static void printable_text_is_valid_utf8(void **state)
{
	static const struct {
		const char *text, *printable;
	} cases[] = {
		{ "caf\u00e9 \u20ac \U0001f9f6",
		  "caf\u00e9 \u20ac \U0001f9f6" },
		{ "\xff", "?" },
		{ "a\x80z", "a?z" },
		{ "\xc3", "?" }, /* cut off */
		{ "\xe2\x82", "??" },
		{ "\xe2\x82z", "??z" },
		{ "\xc0\xaf", "??" },           /* overlong */
		{ "\xe0\x9f\xbf", "???" },      /* overlong */
		{ "\xed\xa0\x80", "???" },      /* a surrogate */
		{ "\xf0\x8f\xbf\xbf", "????" }, /* overlong */
		{ "\xf4\x90\x80\x80", "????" }, /* above the last code point */
		{ "a\u202eb\u202ac", "a???b???c" },
		{ "\u2066\u2069", "??????" },
		{ "\u200e\u200f\u061c", "????????" },
		{ "\u2028", "???" },
		{ "\u200d\u2030\u2065\u206a\u061b",
		  "\u200d\u2030\u2065\u206a\u061b" },
		{ "\xc2\x9b"
		  "2J",
		  "??2J" }, /* 8-bit form of CSI */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char *text = strdup(cases[i].text);

		assert_string_equal(text_printable(text), cases[i].printable);
		free(text);
	}
}

static void strings_are_kept_once(void **state)
{
	struct strings strings = { 0 };

	(void)state;
	assert_int_equal(strings_number(&strings, ""), 0);
	assert_int_equal(strings_number(&strings, "a"), 1);
	assert_int_equal(strings_number(&strings, "b"), 2);
	assert_int_equal(strings_number(&strings, "a"), 1);
	assert_int_equal(strings_number(&strings, ""), 0);
	assert_true(strings_has(&strings, ""));
	assert_true(strings_has(&strings, "b"));
	assert_false(strings_has(&strings, "c"));
	assert_int_equal(strings.count, 3);
	assert_string_equal(strings.items[2], "b");
	strings_fini(&strings);
}

static void sizes_take_suffixes_and_nothing_else(void **state)
{
	uint64_t size = 1;

	(void)state;
	assert_int_equal(text_parse_size("12", &size), 0);
	assert_int_equal(size, 12);
	assert_int_equal(text_parse_size("3k", &size), 0);
	assert_int_equal(size, 3072);
	assert_int_equal(text_parse_size("2G", &size), 0);
	assert_int_equal(size, UINT64_C(2) << 30);
	assert_int_equal(text_parse_size("2GB", &size), -EINVAL);
	assert_int_equal(text_parse_size("-1", &size), -EINVAL);
	assert_int_equal(text_parse_size("", &size), -EINVAL);
	assert_int_equal(text_parse_size("99999999999999G", &size), -ERANGE);
	assert_int_equal(size, UINT64_C(2) << 30);
}

/* The examples of RFC 4648, and the two digits that are not alphanumeric. */
static void base64_has_padding(void **state)
{
	static const struct {
		const char *bytes, *text;
	} examples[] = {
		{ "", "" },
		{ "f", "Zg==" },
		{ "fo", "Zm8=" },
		{ "foo", "Zm9v" },
		{ "foob", "Zm9vYg==" },
		{ "fooba", "Zm9vYmE=" },
		{ "foobar", "Zm9vYmFy" },
		{ "\xfb\xef\xbe\xff\xff\xff", "++++////" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(examples) / sizeof(*examples); i++) {
		const size_t count = strlen(examples[i].bytes);
		char text[16] = "";

		base64_encode((const unsigned char *)examples[i].bytes, count,
			      text);
		assert_string_equal(text, examples[i].text);
		assert_int_equal(base64_length(count), strlen(text));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(idmap_returns_stored_values),
		cmocka_unit_test(idmap_keeps_all_when_room_is_made),
		cmocka_unit_test(idmap_finds_nothing_when_empty),
		cmocka_unit_test(an_index_finds_each_key_of_one_hash),
		cmocka_unit_test(percentages_have_two_digits_and_no_exponent),
		cmocka_unit_test(numbers_are_grouped_by_thousands),
		cmocka_unit_test(durations_have_three_digits_and_a_unit),
		cmocka_unit_test(escape_sequences_do_not_reach_the_terminal),
		cmocka_unit_test(printable_text_is_valid_utf8),
		cmocka_unit_test(strings_are_kept_once),
		cmocka_unit_test(sizes_take_suffixes_and_nothing_else),
		cmocka_unit_test(base64_has_padding),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
