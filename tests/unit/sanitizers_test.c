/* SPDX-License-Identifier: MIT */
/*
 * Tests of preload/host/sanitizers.c. The test replaces the loader and the
 * modules of the program.
 */
#include "tests/unit/unit.h"

#include <link.h>
#include <stdlib.h>
#include <string.h>

#include "preload/host/lookup.h"
#include "preload/host/sanitizers.h"

static const char *defined; /* the only function that the program defines */
static int is_locked;       /* the loader unloads no modules */
static int searches;

void *lookup_any(const char *name)
{
	assert_true(is_locked);
	searches++;
	return defined && !strcmp(defined, name) ? (void *)name : NULL;
}

const struct r_debug *lookup_debug(void)
{
	static const struct r_debug no_modules;

	assert_true(is_locked);
	return &no_modules;
}

void lookup_locked(int (*visit)(struct dl_phdr_info *info, size_t bytes,
				void *context),
		   void *context)
{
	is_locked = 1;
	assert_int_equal(visit(NULL, 0, context), 1);
	is_locked = 0;
}

static int set_up(void **state)
{
	defined = NULL;
	searches = 0;
	return 0;
}

static void modules_are_searched_while_none_is_unloaded(void **state)
{
	assert_false(sanitizers_leave_no_room(1));
	assert_true(searches > 2);
	assert_false(is_locked);
}

static void a_memory_sanitizer_leaves_room_for_untimed_calls(void **state)
{
	defined = "__msan_init";
	assert_false(sanitizers_leave_no_room(0));
	assert_true(sanitizers_leave_no_room(1));
}

static void an_address_sanitizer_leaves_room(void **state)
{
	defined = "__asan_init";
	assert_false(sanitizers_leave_no_room(0));
	assert_false(sanitizers_leave_no_room(1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(
			modules_are_searched_while_none_is_unloaded, set_up),
		cmocka_unit_test_setup(
			a_memory_sanitizer_leaves_room_for_untimed_calls,
			set_up),
		cmocka_unit_test_setup(an_address_sanitizer_leaves_room,
				       set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
