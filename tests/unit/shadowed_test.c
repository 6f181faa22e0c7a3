/* SPDX-License-Identifier: MIT */
/*
 * Tests of preload/patch/shadowed.c, with a stack and a shadow of the test's
 * own. One page of the shadow is used.
 */
#include "preload/patch/shadowed.h"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "preload/hot/shadow.h"
#include "tests/unit/deny.h"
#include "tests/unit/unit.h"

#define STACK_BYTES (UINT64_C(64) * PAGE_BYTES)
#define WORD        UINT64_C(0x5eed0fa11ab1e)

static struct stacks stacks;
static uint64_t *stack, found;

static void *map(uint64_t bytes)
{
	return mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static int make_stack(void **state)
{
	char *shadow = map(2 * STACK_BYTES);
	const uint64_t at = 7 * PAGE_BYTES / 2;

	stack = map(STACK_BYTES);
	if (shadow == MAP_FAILED || stack == MAP_FAILED || stacks_init(&stacks))
		return -1;
	stacks.count = 1;
	stacks.ranges[0].start = (uintptr_t)stack;
	stacks.ranges[0].end = (uintptr_t)stack + STACK_BYTES;
	hot_shadow_low = (uintptr_t)stack;
	hot_shadow_half =
		(uintptr_t)shadow / 2 - (uintptr_t)stack + SHADOW_STACK_LOW;
	stack[at / 8] = WORD;
	stack[at / 8 + PAGE_BYTES] = WORD; /* without shadow */
	shadow[2 * at] = 1;
	return 0;
}

static int count(const void *context, uint64_t at, uint64_t word, int is_pc)
{
	found += word == WORD;
	return 0;
}

/* Returns the exit status of a child that runs `check`. */
static int status_of(int (*check)(void))
{
	const pid_t pid = fork();
	int status = -1;

	if (!pid) {
		stacks.tid = getpid();
		_exit(check());
	}
	waitpid(pid, &status, 0);
	return status;
}

static int is_found(void)
{
	found = 0;
	return !shadowed_walk(&stacks, count, NULL) && found == 1;
}

static int is_found_with_room(void)
{
	static uint64_t room[STACKS_ROOM_BYTES / 8];

	stacks.room = room;
	return is_found();
}

static int find_without_mincore(void)
{
	return deny(SYS_mincore) || !is_found() || !is_found_with_room();
}

/* mincore() reports only pages in RAM. */
static void shadow_in_use_is_found_without_mincore(void **state)
{
	assert_int_equal(status_of(find_without_mincore), 0);
}

static int find_without_pagemap(void)
{
	if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) ||
	    (!getuid() && setresuid(65534, 65534, 65534)) ||
	    !access("/proc/self/pagemap", R_OK))
		return 1;
	return !is_found() || !is_found_with_room();
}

static void shadow_is_found_in_a_process_that_is_not_dumpable(void **state)
{
	assert_int_equal(status_of(find_without_pagemap), 0);
}

static int fail_to_find(void)
{
	return deny(SYS_pread64) || shadowed_walk(&stacks, count, NULL) >= 0;
}

static void unreadable_pagemap_is_an_error(void **state)
{
	assert_int_equal(status_of(fail_to_find), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shadow_in_use_is_found_without_mincore),
		cmocka_unit_test(
			shadow_is_found_in_a_process_that_is_not_dumpable),
		cmocka_unit_test(unreadable_pagemap_is_an_error),
	};

	return cmocka_run_group_tests(tests, make_stack, NULL);
}
