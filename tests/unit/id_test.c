/* SPDX-License-Identifier: MIT */
/*
 * Tests of the arithmetic of ids: a pop undoes a push, and any two of caller,
 * key and callee determine the third.
 */
#include "tests/unit/unit.h"

#include "wire/id.h"

#define DEPTH 4096

/* Returns the key of a level. Weak mixes fail with these patterns. */
typedef uint64_t (*pattern)(uint64_t level);

static uint64_t random_state;

static uint64_t next_random(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

static uint64_t any_key(uint64_t level)
{
	(void)level;
	return next_random();
}

static uint64_t function_key(uint64_t level)
{
	return id_key((uint32_t)level);
}

static uint64_t one_key(uint64_t level)
{
	(void)level;
	return id_key(1);
}

static uint64_t two_keys_by_turns(uint64_t level)
{
	return id_key(1 + level % 2);
}

static uint64_t address_key(uint64_t level)
{
	return UINT64_C(0x555555554000) + 16 * (level % 97);
}

static uint64_t extreme_key(uint64_t level)
{
	static const uint64_t keys[] = { 0, UINT64_MAX, UINT64_C(1) << 63, 1 };

	return keys[level % 4];
}

static void pops_undo_pushes(pattern key)
{
	static uint64_t ids[DEPTH + 1], keys[DEPTH];

	for (uint64_t i = 0; i < DEPTH; i++) {
		keys[i] = key(i);
		ids[i + 1] = id_push(ids[i], keys[i]);
		assert_int_equal(id_key_between(ids[i], ids[i + 1]), keys[i]);
	}
	for (uint64_t i = DEPTH, id = ids[DEPTH]; i-- > 0;) {
		id = id_pop(id, keys[i]);
		assert_int_equal(id, ids[i]);
	}
}

static void any_sequence_of_calls_is_undone(void **state)
{
	(void)state;
	for (random_state = 1; random_state < 200; random_state++) {
		uint64_t seed = random_state;

		pops_undo_pushes(any_key);
		random_state = seed;
	}
	pops_undo_pushes(function_key);
	pops_undo_pushes(one_key);
	pops_undo_pushes(two_keys_by_turns);
	pops_undo_pushes(address_key);
	pops_undo_pushes(extreme_key);
}

static void order_of_calls_matters(void **state)
{
	uint64_t a = id_key(1), b = id_key(2);

	(void)state;
	assert_int_not_equal(id_push(id_push(ID_ROOT, a), b),
			     id_push(id_push(ID_ROOT, b), a));
}

/* With a period of 64, a mix would lose contexts of mutual recursion. */
static void ids_of_recursion_do_not_repeat(void **state)
{
	uint64_t id = ID_ROOT;

	(void)state;
	for (int depth = 0; depth < 1000000; depth++) {
		id = id_push(id, id_key(1 + (uint32_t)depth % 2));
		assert_int_not_equal(id, ID_ROOT);
	}
}

static void keys_and_functions_are_one_to_one(void **state)
{
	uint32_t function;

	(void)state;
	for (uint64_t f = 0; f <= UINT32_MAX; f += 65521) {
		assert_true(id_key_function(id_key((uint32_t)f), &function));
		assert_int_equal(function, f);
	}
}

static void invalid_keys_have_no_function(void **state)
{
	uint32_t function = 7;

	(void)state;
	assert_false(id_key_function(UINT64_C(0x80000000), &function));
	assert_false(id_key_function(UINT64_C(1) << 32, &function));
	assert_int_equal(function, 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_sequence_of_calls_is_undone),
		cmocka_unit_test(order_of_calls_matters),
		cmocka_unit_test(ids_of_recursion_do_not_repeat),
		cmocka_unit_test(keys_and_functions_are_one_to_one),
		cmocka_unit_test(invalid_keys_have_no_function),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
