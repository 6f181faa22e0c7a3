/* SPDX-License-Identifier: MIT */
#include "preload/generated/erlang_symbols.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/*
 * A table in the layout that Erlang registers: each function has a struct and a
 * name.
 */
struct made_symbols {
	unsigned char bytes[512];
	size_t size;
};

static void put(struct made_symbols *made, const void *bytes, size_t count)
{
	memcpy(made->bytes + made->size, bytes, count);
	made->size += count;
}

static void put_word(struct made_symbols *made, uint32_t word)
{
	put(made, &word, sizeof(word));
}

/* Appends a name, then the trailing padding of the struct. */
static void put_name(struct made_symbols *made, const char *name,
		     size_t padding)
{
	const uint16_t bytes = (uint16_t)(strlen(name) + 1);
	static const char zeros[8];

	put(made, &bytes, sizeof(bytes));
	put(made, name, bytes);
	put(made, zeros, padding);
}

static void put_module(struct made_symbols *made, uint32_t ranges)
{
	const uint64_t base = 0x7f0000001000;

	put_word(made, 1);
	put_word(made, 0);
	put(made, &base, sizeof(base));
	put_word(made, ranges);
	put_word(made, 0x400);
	put_name(made, "lists", 6);
}

static void put_range(struct made_symbols *made, uint32_t start, uint32_t end,
		      uint32_t lines, const char *name)
{
	put_word(made, start);
	put_word(made, end);
	put_word(made, lines);
	put_name(made, name, 2);
	for (uint32_t i = 0; i < lines; i++) {
		put_word(made, start + i);
		put_word(made, 10 + i);
		put_name(made, "lists.erl", 2);
	}
}

static void make(struct made_symbols *made)
{
	made->size = 0;
	put_module(made, 3);
	put_range(made, 0x10, 0x40, 2, "lists:map/2");
	put_range(made, 0x40, 0x40, 0, "lists:empty/0");
	put_range(made, 0x40, 0x400, 1, "lists:foldl/3");
}

static void functions_have_names_and_places(void **state)
{
	struct erlang_symbols symbols;
	struct erlang_symbol symbol;
	struct made_symbols made;

	(void)state;
	make(&made);
	assert_true(erlang_symbols_begin(&symbols, made.bytes, made.size));
	assert_true(erlang_symbols_next(&symbols, &symbol));
	assert_int_equal(symbol.start, 0x7f0000001010);
	assert_int_equal(symbol.bytes, 0x30);
	assert_string_equal(symbol.name, "lists:map/2");
	assert_true(erlang_symbols_next(&symbols, &symbol));
	assert_int_equal(symbol.bytes, 0);
	assert_false(erlang_symbols_are_over(&symbols));
	assert_true(erlang_symbols_next(&symbols, &symbol));
	assert_string_equal(symbol.name, "lists:foldl/3");
	assert_false(erlang_symbols_next(&symbols, &symbol));
	assert_true(erlang_symbols_are_over(&symbols));
}

static void names_of_the_emulator_are_skipped(void **state)
{
	struct made_symbols made = { .size = 32 };
	struct erlang_symbols symbols;
	struct erlang_symbol symbol;

	(void)state;
	assert_true(erlang_symbols_begin(&symbols, made.bytes, made.size));
	assert_false(erlang_symbols_next(&symbols, &symbol));
	assert_false(erlang_symbols_begin(&symbols, made.bytes, 31));
	assert_false(erlang_symbols_begin(&symbols, made.bytes, 33));
}

/*
 * Returns whether the reader accepts a copy of the table that ends at unmapped
 * memory.
 */
static int is_read(const struct made_symbols *made, size_t size)
{
	unsigned char *copy = malloc(size ? size : 1);
	struct erlang_symbols symbols;
	struct erlang_symbol symbol;
	int is_over = 0;

	memcpy(copy, made->bytes, size);
	if (erlang_symbols_begin(&symbols, copy, size)) {
		while (erlang_symbols_next(&symbols, &symbol))
			assert_true(strlen(symbol.name) < size);
		is_over = erlang_symbols_are_over(&symbols);
	}
	free(copy);
	return is_over;
}

static void truncated_symbols_are_rejected(void **state)
{
	struct made_symbols made;

	(void)state;
	make(&made);
	for (size_t size = 0; size < made.size; size++)
		assert_false(is_read(&made, size));
	assert_true(is_read(&made, made.size));
	put_word(&made, 0);
	assert_false(is_read(&made, made.size));
}

static void damage_does_no_harm(void **state)
{
	static const unsigned char nasty[] = { 0, 1, 0x7f, 0x80, 0xff };
	struct made_symbols made;

	(void)state;
	for (size_t i = 0; i < sizeof(nasty); i++) {
		make(&made);
		for (size_t at = 0; at < made.size; at++) {
			const unsigned char before = made.bytes[at];

			made.bytes[at] = nasty[i];
			is_read(&made, made.size);
			made.bytes[at] = before;
		}
	}
}

static void other_files_have_no_erlang_symbols(void **state)
{
	const struct made_symbols elf = { "\177ELF\2\1\1", 64 };
	struct made_symbols made;

	(void)state;
	assert_false(is_read(&elf, elf.size));
	make(&made);
	made.bytes[0] = 2;
	assert_false(is_read(&made, made.size));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_have_names_and_places),
		cmocka_unit_test(names_of_the_emulator_are_skipped),
		cmocka_unit_test(truncated_symbols_are_rejected),
		cmocka_unit_test(damage_does_no_harm),
		cmocka_unit_test(other_files_have_no_erlang_symbols),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
