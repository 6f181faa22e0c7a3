/* SPDX-License-Identifier: MIT */
/*
 * preload/reclaim.c: the stubs of an unloaded module are given back, but not
 * while a thread is in one of them.
 */
#include "preload/reclaim.h"

#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/hot/runtime.h"
#include "preload/sys/proc.h"
#include "tests/unit/unit.h"

#define STUBS     (1 << 14) /* more than are worth the trouble: 2 MiB */
#define ASLEEP_AT 4

/* xor %eax,%eax; syscall; ret: read(), asleep at byte 4 */
static const uint8_t code[] = { 0x31, 0xc0, 0x0f, 0x05, 0xc3 };

static struct cold cold;
static struct patch patch;
static struct window_user near;
static struct module module = { .path = "/gone",
				.is_gone = 1,
				.patch = &patch };

/* A module that has been unloaded, with stubs that only read. */
static int make_retired(void **state)
{
	uint8_t *stub;

	near.code.start = (uintptr_t)make_retired;
	near.code.end = near.code.start + 1;
	near.image = near.code;
	rt.cold = &cold;
	rt.patches = &cold.patches;
	patch.memory_bytes = STUBS * sizeof(struct patch_site);
	patch.sites = sys_map_private(patch.memory_bytes);
	patch.stub_bytes = STUB_BYTES;
	for (; patch.site_count < STUBS; patch.site_count++) {
		if (window_alloc(&cold.windows, &near, STUB_BYTES, &stub))
			return -1;
		memcpy(stub, code, sizeof(code));
		patch.sites[patch.site_count].stub = (uintptr_t)stub;
	}
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

static void who_is_in_a_stub_keeps_it(void **state)
{
	struct guest guest = { .stub = patch.sites[STUBS / 2].stub };
	struct proc_activity activity = { 0 };
	struct proc_text text;
	pthread_t thread;

	assert_int_equal(pipe(guest.ends), 0);
	pthread_create(&thread, NULL, reads, &guest);
	while (!guest.tid || proc_activity(&text, guest.tid, &activity) ||
	       activity.pc != guest.stub + ASLEEP_AT)
		sched_yield();
	reclaim_stubs(&cold);
	assert_ptr_equal(module.patch, &patch);
	assert_ptr_equal(cold.modules.first, &module);
	assert_int_equal(write(guest.ends[1], "x", 1), 1);
	pthread_join(thread, NULL);
	while (!proc_activity(&text, guest.tid, &activity))
		sched_yield(); /* until the kernel has let go of it */
	assert_int_equal(guest.result, 1); /* through the stub's own ret */
}

static void what_nobody_is_in_is_given_back(void **state)
{
	const uint64_t first = patch.sites[0].stub;
	uint8_t *again;

	cold.reclaim_at_bytes = 0; /* as if much more were to be had */
	reclaim_stubs(&cold);
	assert_null(module.patch);
	assert_null(cold.modules.first);
	do /* writable once more, and handed out */
		assert_int_equal(
			window_alloc(&cold.windows, &near, STUB_BYTES, &again),
			0);
	while ((uintptr_t)again != first);
	memset(again, 0xcc, STUB_BYTES);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_is_in_a_stub_keeps_it),
		cmocka_unit_test(what_nobody_is_in_is_given_back),
	};

	return cmocka_run_group_tests(tests, make_retired, NULL);
}
