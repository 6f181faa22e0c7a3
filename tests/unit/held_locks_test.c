/* SPDX-License-Identifier: MIT */
/* Tests of locks/held_locks.c. A lock is only an address here. */
#include "locks/held_locks.h"

#include "tests/unit/unit.h"

#define ALIGNMENT 64
#define SEARCHED  (1 << 24)

static const void *lock_at(uint64_t number)
{
	return (const void *)(uintptr_t)(number * ALIGNMENT);
}

static struct held_lock hold_of(const void *lock, uint64_t row)
{
	return (struct held_lock){ .lock = lock, .row = row, .since_ns = row };
}

static int is_row(const void *lock, uint64_t row)
{
	struct held_lock out = { 0 };

	return held_locks_take(lock, 0, 0, &out) && out.row == row;
}

/* Returns the index of the first slot of a lock's window (held_locks.c). */
static uint64_t home_of(uint64_t number)
{
	return number * ALIGNMENT * UINT64_C(0x9e3779b97f4a7c15) >> 40 & 65535;
}

/* Returns another lock whose window begins at the same slot. */
static uint64_t neighbour_of(uint64_t number)
{
	uint64_t other = number + 1;

	while (other < SEARCHED && home_of(other) != home_of(number))
		other++;
	assert_true(other < SEARCHED);
	return other;
}

static void hold_is_found_once(void **state)
{
	const struct held_lock held = hold_of(lock_at(1), 7);
	struct held_lock out;

	assert_true(held_locks_add(&held));
	assert_true(is_row(held.lock, 7));
	assert_false(held_locks_take(held.lock, 0, 0, &out));
}

static void stale_hold_is_overwritten_behind_a_free_slot(void **state)
{
	const void *lock = lock_at(2), *other = lock_at(neighbour_of(2));
	const struct held_lock first = hold_of(other, 1);
	const struct held_lock stale = hold_of(lock, 2);
	const struct held_lock again = hold_of(lock, 3);
	struct held_lock out;

	assert_true(held_locks_add(&first));
	assert_true(held_locks_add(&stale));
	assert_true(is_row(other, 1));
	assert_true(held_locks_add(&again));
	assert_true(is_row(lock, 3));
	assert_false(held_locks_take(lock, 0, 0, &out));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hold_is_found_once),
		cmocka_unit_test(stale_hold_is_overwritten_behind_a_free_slot),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
