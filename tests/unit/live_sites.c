/* SPDX-License-Identifier: MIT */
#include "tests/unit/live_sites.h"

#include <string.h>

#include "preload/hot/runtime.h"
#include "preload/lookup/patches.h"
#include "tests/unit/unit.h"

static struct patch_site sites[SITES];
static struct patch second = { .sites = sites + SPIN,
			       .site_count = SITES - SPIN };
static struct patch first = { .next = &second,
			      .next_of_module = &second,
			      .sites = sites,
			      .site_count = SPIN };
static struct patches patches = { .first = &first };
struct wire_header live_header;

uint64_t live_pc_of(int site)
{
	return sites[site].text.pc;
}

static void aim(int number, uint64_t pc, uint64_t stub, uint8_t bytes)
{
	struct patch_site *site = &sites[number];
	const int32_t displacement = (int32_t)(stub - pc - JUMP_BYTES);

	*site = (struct patch_site){ .text = { .pc = pc, .bytes = bytes },
				     .stub = stub,
				     .entry = stub };
	memcpy(site->text.before, (const void *)pc, bytes);
	memcpy(site->text.after, site->text.before, bytes);
	site->text.after[0] = 0xe9; /* jmp rel32 */
	memcpy(site->text.after + 1, &displacement, sizeof(displacement));
}

int live_aim_all(void **state)
{
	rt.patches = &patches;
	rt.header = &live_header;
	aim(SUM, (uintptr_t)live_sum, (uintptr_t)live_sum_stub, 5);
	aim(READ, (uintptr_t)live_read, (uintptr_t)live_read_stub, 5);
	aim(SPIN, (uintptr_t)live_spin, (uintptr_t)live_spin_stub, 5);
	aim(HOST, (uintptr_t)live_host, (uintptr_t)live_host_stub, 10);
	sites[HOST].is_host = 1;
	/*
	 * At the location of the guest's jump: a thread may be between the two
	 * jumps.
	 */
	memcpy(sites[HOST].text.after + JUMP_BYTES, "\xeb\xfe", 2);
	return 0;
}

void live_assert_stands(int is_hooked)
{
	for (int i = 0; i < SITES; i++) {
		const struct patch_text *text = &sites[i].text;

		assert_memory_equal((const void *)text->pc,
				    is_hooked ? text->after : text->before,
				    text->bytes);
	}
}

static int change(live_way how, const struct live_range *ranges, uint32_t count,
		  uint64_t patience_ns, int *tid)
{
	uint64_t signals;
	int err;

	sys_block_signals(&signals);
	err = how(ranges, count, sys_clock_ns(CLOCK_MONOTONIC) + patience_ns,
		  tid);
	sys_restore_signals(&signals);
	return err;
}

int live_change(live_way how, uint64_t patience_ns, int *tid)
{
	const struct live_range ranges[] = {
		{ .patch = &first, .first = 0, .count = SPIN },
		{ .patch = &second, .first = 0, .count = SITES - SPIN },
	};

	return change(how, ranges, 2, patience_ns, tid);
}

void live_change_second(live_way how)
{
	const struct live_range range = { .patch = &second,
					  .count = SITES - SPIN };
	int tid;

	assert_int_equal(change(how, &range, 1, LONG_NS, &tid), 0);
}

void live_hook(void)
{
	int tid;

	assert_int_equal(live_change(live_commit, LONG_NS, &tid), 0);
	live_assert_stands(1);
}

void live_unhook(void)
{
	int tid;

	assert_int_equal(live_change(live_revert, LONG_NS, &tid), 0);
	live_assert_stands(0);
}
