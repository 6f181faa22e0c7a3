/* SPDX-License-Identifier: MIT */
/*
 * Tests of the room for hooks of modules that are loaded late
 * (preload/hooking/hook_room.h).
 */
#include "unit.h"

#include <stdio.h>

#include "preload/hooking/hook_room.h"
#include "preload/host/config.h"
#include "preload/hot/runtime.h"
#include "preload/hot/thread.h"
#include "preload/record/memory_bound.h"
#include "preload/sys/mappings.h"
#include "wire/hook_memory.h"

struct runtime rt;
_Thread_local struct hot_thread hot;

static uint64_t mapped, most;
static int readings, result;

int memory_bound_allows(uint64_t bytes)
{
	return 1;
}

int mappings_each(int (*each)(void *context,
			      const struct mapped_range *mapping),
		  void *context)
{
	const struct mapped_range mapping = { 0 };

	readings++;
	for (uint64_t i = 0; i < mapped; i++)
		each(context, &mapping);
	return result;
}

static int begin(void **state)
{
	static struct config config;
	FILE *file = fopen("/proc/sys/vm/max_map_count", "r");

	(void)state;
	rt.config = &config;
	readings = result = 0;
	mapped = 1000;
	if (!file || fscanf(file, "%lu", &most) != 1)
		most = 0;
	if (file)
		fclose(file);
	return most ? 0 : -1;
}

static void mappings_are_counted_once_in_a_pass(void **state)
{
	struct hook_room room = { 0 };

	(void)state;
	for (int i = 0; i < 20; i++)
		assert_true(hook_room_take(&room, 1000, 0));
	assert_int_equal(readings, 1);
	assert_int_equal(room.functions, 20000);
}

static void small_modules_and_those_before_main_are_not_checked(void **state)
{
	struct hook_room room = { 0 };

	(void)state;
	mapped = most;
	assert_true(hook_room_take(&room, 499, 0));
	assert_true(hook_room_take(&room, 5000, 1));
	assert_int_equal(readings, 0);
	assert_false(hook_room_take(&room, 500, 0));
	assert_int_equal(room.functions, 5499);
}

/*
 * Each module needs ten mappings. A part of all mappings is reserved for the
 * program.
 */
static void modules_of_one_pass_are_added_up(void **state)
{
	const uint64_t each = 10 * HOOK_MEMORY_MAPPING_EACH;
	struct hook_room room = { 0 };

	(void)state;
	mapped = most - most / 32 - 35;
	for (int i = 0; i < 3; i++)
		assert_true(hook_room_take(&room, each, 0));
	assert_false(hook_room_take(&room, each, 0));
	assert_int_equal(readings, 1);
	room = (struct hook_room){ 0 };
	assert_true(hook_room_take(&room, each, 0));
}

static void mappings_that_cannot_be_read_are_no_bound(void **state)
{
	struct hook_room room = { 0 };

	(void)state;
	mapped = most;
	result = -1;
	assert_true(hook_room_take(&room, 1000, 0));
	assert_true(hook_room_take(&room, 1000, 0));
}

#define CLAIM(name) cmocka_unit_test_setup(name, begin)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CLAIM(mappings_are_counted_once_in_a_pass),
		CLAIM(small_modules_and_those_before_main_are_not_checked),
		CLAIM(modules_of_one_pass_are_added_up),
		CLAIM(mappings_that_cannot_be_read_are_no_bound),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
