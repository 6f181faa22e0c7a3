/* SPDX-License-Identifier: MIT */
/*
 * Tests of live.c, quiesce.c and the code below them. Real threads stop at
 * chosen addresses of handwritten functions (live_code_x86_64.S) while those
 * are hooked and unhooked.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/hot/runtime.h"
#include "preload/lookup/patches.h"
#include "tests/unit/live_guests.h"
#include "tests/unit/live_sites.h"
#include "tests/unit/unit.h"

#define CALLERS 3
#define ROUNDS  100

/* A thread that reaches a breakpoint continues in the stub. */
static void call_and_wake(struct guest *guest)
{
	const uint64_t stubbed = live_sum_stubbed, hits = live_header.trap_hits;

	guest->errors += live_sum(5) != 3 * 5 + 7;
	guest->errors += live_sum_stubbed != stubbed + 1;
	guest->errors += live_header.trap_hits != hits + 1;
	guest_wake(guest);
}

static void a_call_goes_through_the_stub_while_hooked(void **state)
{
	uint64_t stubbed = live_sum_stubbed;

	assert_int_equal(live_sum(1), 10);
	assert_int_equal(live_sum_stubbed, stubbed);
	live_hook();
	assert_int_equal(live_sum(2), 13);
	assert_int_equal(live_spin(), 1);
	assert_int_equal(live_sum_stubbed, ++stubbed);
	live_unhook();
	assert_int_equal(live_sum(3), 16);
	assert_int_equal(live_sum_stubbed, stubbed);
}

static void hooking_twice_changes_nothing(void **state)
{
	live_hook();
	live_hook();
	live_unhook();
	live_unhook();
	assert_int_equal(live_sum(1), 10);
}

static void callers_do_not_notice(void **state)
{
	const uint64_t stubbed = live_sum_stubbed;
	struct guest guests[CALLERS];
	uint64_t calls = 0;

	for (int i = 0; i < CALLERS; i++)
		guest_start(&guests[i], guest_sums);
	for (int round = 0; round < ROUNDS; round++) {
		const uint64_t before = live_sum_stubbed;

		live_hook();
		while (live_sum_stubbed == before)
			sched_yield();
		live_unhook();
	}
	for (int i = 0; i < CALLERS; i++) {
		guests[i].may_go = 1;
		guest_end(&guests[i]);
		assert_int_equal(guests[i].errors, 0);
		calls += guests[i].calls;
	}
	assert_in_range(live_sum_stubbed - stubbed, ROUNDS, calls);
}

/* A thread calls through the patch that remains. */
static void one_of_two_patches_is_written_and_removed_alone(void **state)
{
	struct guest guest;

	live_hook();
	guest_start(&guest, guest_sums);
	for (int round = 0; round < ROUNDS; round++) {
		uint64_t stubbed = live_sum_stubbed;
		const uint64_t before = live_host_stubbed;

		live_change_second(live_revert);
		assert_int_equal(live_host(), 1);
		assert_int_equal(live_host_stubbed, before);
		while (live_sum_stubbed == stubbed)
			sched_yield();
		live_change_second(live_commit);
		assert_int_equal(live_host(), 1);
		assert_int_equal(live_host_stubbed, before + 1);
	}
	guest.may_go = 1;
	guest_end(&guest);
	assert_int_equal(guest.errors, 0);
	live_unhook();
}

static void hooking_waits_for_a_thread_asleep_between_the_bytes(void **state)
{
	struct guest guest;

	guest_start(&guest, guest_reads);
	guest_wait_until_asleep(&guest, live_pc_of(READ) + READ_AT);
	live_change_past(1, &guest, call_and_wake);
	assert_int_equal(guest_end(&guest), 1);
	assert_int_equal(guest.errors, 0);
	live_unhook();
}

static void hooking_waits_for_a_thread_running_between_the_bytes(void **state)
{
	struct guest guest;

	guest_start(&guest, guest_spins);
	guest_wait_until_running(&guest, live_pc_of(SPIN) + SPIN_AT);
	live_change_past(1, &guest, guest_leave);
	assert_int_equal(guest_end(&guest), 1);
	live_unhook();
}

/* The groups precede the context switch counts in /proc/PID/status. */
static void hundreds_of_groups_wait_for_threads(void **state)
{
	gid_t groups[280];

	for (gid_t i = 0; i < 280; i++)
		groups[i] = 4000000000 + i;
	for (long count = 240; count <= 280; count += 10) {
		if (syscall(SYS_setgroups, count, groups)) {
			print_message("only root may join groups\n");
			skip();
		}
		hooking_waits_for_a_thread_asleep_between_the_bytes(state);
		hooking_waits_for_a_thread_running_between_the_bytes(state);
	}
	assert_int_equal(syscall(SYS_setgroups, 0, groups), 0);
}

/* The interrupted pc is where the guest continues after its handler. */
static void hooking_waits_for_a_thread_below_a_handler(void **state)
{
	struct guest guest;

	guest_start(&guest, guest_spins);
	guest_wait_until_running(&guest, live_pc_of(SPIN) + SPIN_AT);
	guest_sleep_in_handler(&guest);
	live_change_past(1, &guest, guest_wake);
	assert_int_equal(guest_end(&guest), 1);
	live_unhook();
}

static void hooking_waits_for_a_thread_between_the_jumps_of_a_host(void **state)
{
	struct guest guest;

	live_hook();
	guest_start(&guest, guest_visits_host);
	guest_wait_until_running(&guest, live_pc_of(HOST) + BETWEEN_AT);
	live_change_past(0, &guest, guest_leave);
	assert_int_equal(guest_end(&guest), 1);
}

static void refuse_until_it_goes(void *(*run)(void *))
{
	struct guest guest;
	int tid = 0;

	guest_start(&guest, run);
	assert_int_equal(live_change(live_commit, SHORT_NS, &tid), -EBUSY);
	assert_int_equal(tid, guest.tid);
	live_assert_stands(0);
	guest.may_go = 1;
	guest_end(&guest);
	live_hook();
	live_unhook();
}

static void thread_that_does_not_answer_prevents_hooking(void **state)
{
	refuse_until_it_goes(guest_blocks_signals);
}

static void thread_that_blocks_breakpoints_prevents_hooking(void **state)
{
	refuse_until_it_goes(guest_blocks_traps);
}

/* The stub stays mapped, and the guest continues after the site. */
static void hooking_does_not_wait_for_a_thread_in_a_stub(void **state)
{
	const uint64_t stubbed = live_read_stubbed;
	struct guest guest;

	live_hook();
	guest_start(&guest, guest_reads);
	guest_wait_until_asleep(&guest, (uintptr_t)live_read_stub_asleep);
	live_unhook();
	guest_wake(&guest);
	assert_int_equal(guest_end(&guest), 1);
	assert_int_equal(live_read_stubbed, stubbed + 1);
}

/* mov $42,%eax; ret: one byte more than the jump has. */
static const uint8_t others[] = { 0xb8, 42, 0, 0, 0, 0xc3 };

static void put(uint64_t pc, const void *bytes)
{
	const int fd = open("/proc/self/mem", O_RDWR);

	assert_int_equal(pwrite(fd, bytes, sizeof(others), (off_t)pc),
			 sizeof(others));
	close(fd);
}

static void unhooking_keeps_later_writes_of_the_program(void **state)
{
	const uint64_t pc = live_pc_of(SUM);
	uint8_t hooked[sizeof(others)];
	int tid;

	live_hook();
	memcpy(hooked, (const void *)pc, sizeof(hooked));
	put(pc, others);
	for (int to_hooked = 0; to_hooked <= 1; to_hooked++) {
		assert_int_equal(
			live_change(to_hooked ? live_commit : live_revert,
				    LONG_NS, &tid),
			0);
		assert_memory_equal((const void *)pc, others, sizeof(others));
		assert_int_equal(live_sum(1), 42);
		assert_int_equal(*(const uint8_t *)live_pc_of(SPIN) == 0xe9,
				 to_hooked);
	}
	assert_true(rt.patches->has_overwritten);
	put(pc, hooked);
	live_unhook();
	assert_int_equal(live_sum(1), 10);
}

#define CLAIM(name) cmocka_unit_test_setup(name, live_aim_all)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CLAIM(a_call_goes_through_the_stub_while_hooked),
		CLAIM(hooking_twice_changes_nothing),
		CLAIM(callers_do_not_notice),
		CLAIM(one_of_two_patches_is_written_and_removed_alone),
		CLAIM(hooking_waits_for_a_thread_asleep_between_the_bytes),
		CLAIM(hooking_waits_for_a_thread_running_between_the_bytes),
		CLAIM(hundreds_of_groups_wait_for_threads),
		CLAIM(hooking_waits_for_a_thread_below_a_handler),
		CLAIM(hooking_waits_for_a_thread_between_the_jumps_of_a_host),
		CLAIM(thread_that_does_not_answer_prevents_hooking),
		CLAIM(thread_that_blocks_breakpoints_prevents_hooking),
		CLAIM(hooking_does_not_wait_for_a_thread_in_a_stub),
		CLAIM(unhooking_keeps_later_writes_of_the_program),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
