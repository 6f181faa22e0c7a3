/* SPDX-License-Identifier: MIT */
/*
 * Tests of preload/hooking/reclaim.c: stubs of an unloaded module's patches are
 * freed, but not while a thread is in one of them.
 */
#include "preload/hooking/reclaim.h"

#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "preload/hot/runtime.h"
#include "preload/hot/shadow.h"
#include "preload/patch/patch.h"
#include "preload/sys/proc.h"
#include "tests/unit/deny.h"
#include "tests/unit/unit.h"

#define PATCHES   2
#define STUBS     (1 << 13) /* of each patch; 2 MiB are worth freeing */
#define ASLEEP_AT 4

/* xor %eax,%eax; syscall; ret: read(), asleep at byte 4 */
static const uint8_t code[] = { 0x31, 0xc0, 0x0f, 0x05, 0xc3 };

static struct cold cold;
static struct patch patches[PATCHES];
static struct window_user near;
static struct module module = { .path = "/gone",
				.is_gone = 1,
				.patches = patches };

/* Creates stubs that only call read(). */
static int make_stubs(struct patch *patch)
{
	uint8_t *stub;

	patch->memory_bytes = STUBS * sizeof(struct patch_site);
	patch->sites = sys_map_private(patch->memory_bytes);
	patch->stub_bytes = STUB_BYTES;
	for (; patch->site_count < STUBS; patch->site_count++) {
		if (window_alloc(&cold.windows, &near, STUB_BYTES, &stub))
			return -1;
		memcpy(stub, code, sizeof(code));
		patch->sites[patch->site_count].stub = (uintptr_t)stub;
	}
	windows_turn_page(&cold.windows);
	return 0;
}

/* Creates an unloaded module with stubs of two patches. */
static int make_retired(void **state)
{
	near.code.start = (uintptr_t)make_retired;
	near.code.end = near.code.start + 1;
	near.image = near.code;
	rt.cold = &cold;
	rt.patches = &cold.patches;
	for (int i = 0; i < PATCHES; i++)
		if (make_stubs(&patches[i]))
			return -1;
	patches[0].next_of_module = &patches[1];
	module.is_retired = 1;
	cold.modules.first = cold.modules.last = &module;
	return windows_seal(&cold.windows);
}

struct guest {
	uint64_t stub;
	int ends[2];
	_Atomic int tid;
	long result;
};

static void *reads(void *context)
{
	struct guest *guest = context;
	char byte;

	guest->tid = (int)syscall(SYS_gettid);
	guest->result = ((long (*)(int, char *, size_t))guest->stub)(
		guest->ends[0], &byte, 1);
	return NULL;
}

static void keep_while_somebody_is_in(const struct patch *patch)
{
	struct guest guest = { .stub = patch->sites[STUBS / 2].stub };
	struct proc_activity activity = { 0 };
	struct proc_text text;
	pthread_t thread;

	assert_int_equal(pipe(guest.ends), 0);
	pthread_create(&thread, NULL, reads, &guest);
	while (!guest.tid || proc_activity(&text, guest.tid, &activity) ||
	       activity.pc != guest.stub + ASLEEP_AT)
		sched_yield();
	cold.reclaim_at_bytes = 0; /* as if much more memory could be freed */
	reclaim_stubs(&cold);
	assert_ptr_equal(module.patches, patches);
	for (int i = 0; i < PATCHES; i++)
		assert_int_equal(patches[i].site_count, STUBS);
	assert_ptr_equal(cold.modules.first, &module);
	assert_int_equal(write(guest.ends[1], "x", 1), 1);
	pthread_join(thread, NULL);
	while (!proc_activity(&text, guest.tid, &activity))
		sched_yield(); /* until the thread has disappeared from /proc */
	assert_int_equal(
		guest.result,
		1); /* the thread has returned through the stub's ret */
}

static void thread_in_a_stub_keeps_stubs_of_all_patches(void **state)
{
	for (int i = 0; i < PATCHES; i++)
		keep_while_somebody_is_in(&patches[i]);
}

/* Allocates the stub's memory again, which must be writable. */
static void take_again(uint64_t stub)
{
	uint8_t *again = NULL;

	for (int i = 0; i <= PATCHES * STUBS && (uintptr_t)again != stub; i++)
		assert_int_equal(
			window_alloc(&cold.windows, &near, STUB_BYTES, &again),
			0);
	assert_int_equal((uintptr_t)again, stub);
	memset(again, 0xcc, STUB_BYTES);
}

/* Returns whether a child keeps unused stubs if this system call fails. */
static int keeps_without(uint32_t call)
{
	const pid_t pid = fork();
	int status = -1;

	if (!pid) {
		hot_shadow_low = SHADOW_STACK_LOW;
		cold.reclaim_at_bytes = 0;
		if (deny(call))
			_exit(2);
		reclaim_stubs(&cold);
		_exit(module.patches != patches);
	}
	waitpid(pid, &status, 0);
	return status == 0;
}

static void stubs_are_kept_if_stacks_cannot_be_searched(void **state)
{
	assert_true(keeps_without(SYS_pread64));
	assert_true(keeps_without(SYS_process_vm_readv));
}

static void unused_stubs_are_freed(void **state)
{
	uint64_t stubs[PATCHES];

	for (int i = 0; i < PATCHES; i++)
		stubs[i] = patches[i].sites[0].stub;
	cold.reclaim_at_bytes = 0;
	reclaim_stubs(&cold);
	assert_null(module.patches);
	assert_null(cold.modules.first);
	for (int i = 0; i < PATCHES; i++)
		take_again(stubs[i]);
}

/*
 * The sites of a probe are sorted by address, and its stubs by the order of
 * discovery.
 */
static void stubs_of_a_probe_are_freed_once(void **state)
{
	enum { COUNT = 24 };
	static struct patch_site sites[COUNT];
	struct patch patch = { .sites = sites,
			       .site_count = COUNT,
			       .stub_bytes = STUB_BYTES,
			       .probe = 1 };
	uint8_t *made[COUNT], *again[COUNT];

	for (unsigned int i = 0; i < COUNT; i++)
		assert_int_equal(window_alloc(&cold.windows, &near, STUB_BYTES,
					      &made[i]),
				 0);
	windows_turn_page(&cold.windows);
	for (unsigned int i = 0; i < COUNT; i++)
		sites[i].stub = (uintptr_t)made[i * 7 % COUNT];
	patch_free_stubs(&patch, &cold.windows);
	for (unsigned int i = 0; i < COUNT; i++) {
		assert_int_equal(window_alloc(&cold.windows, &near, STUB_BYTES,
					      &again[i]),
				 0);
		memset(again[i], (int)i, STUB_BYTES);
	}
	for (unsigned int i = 0; i < COUNT; i++)
		for (unsigned int j = 0; j < i; j++)
			assert_ptr_not_equal(again[i], again[j]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(thread_in_a_stub_keeps_stubs_of_all_patches),
		cmocka_unit_test(stubs_are_kept_if_stacks_cannot_be_searched),
		cmocka_unit_test(unused_stubs_are_freed),
		cmocka_unit_test(stubs_of_a_probe_are_freed_once),
	};

	return cmocka_run_group_tests(tests, make_retired, NULL);
}
