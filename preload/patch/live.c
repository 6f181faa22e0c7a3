/* SPDX-License-Identifier: MIT */
/*
 * See live.h. Code that threads execute may be changed one byte at a time,
 * provided that no thread is between two of the bytes. The steps apply to all
 * sites together, each followed by a barrier (code.h):
 *
 *		push %rbp; mov %rsp,%rbp; ...	the original code
 *	1.	int3 | mov %rsp,%rbp; ...	no thread enters; trap.h sends
 *						arriving threads to the stub
 *	2.	wait until no thread is after the int3 (quiesce.h)
 *	3.	int3 | displacement		the rest of the jump
 *	4.	jmp stub
 *
 * Restoring works the same way without step 2, because no thread can be inside
 * a jump; but one can be between the two jumps of a host and its guest. If a
 * step fails, the preceding steps are undone in reverse order. Each step writes
 * without reading, so running the steps again repairs a child that was forked
 * between two of them. Before step 1 all sites are compared: bytes that the
 * program or another tool has written since are left unchanged.
 */
#include "preload/patch/live.h"

#include <errno.h>
#include <stddef.h>

#include "disasm/jumps.h"
#include "preload/hot/runtime.h"
#include "preload/lookup/patches.h"
#include "preload/patch/code.h"
#include "preload/patch/quiesce.h"
#include "preload/patch/trap.h"
#include "preload/process/filter.h"
#include "preload/sys/proc.h"
#include "preload/sys/sys.h"

/* The least time for threads to leave bytes that change. */
#define WAIT_NS UINT64_C(50000000)

struct change {
	struct code_writer writer;
	const struct live_range *ranges;
	uint32_t count;
	uint64_t deadline_ns;
	uint64_t page; /* the page that is in `copy`, or 0 */
	uint8_t copy[PAGE_BYTES];
};

/* ---- Present bytes ---- */

/*
 * Returns the present bytes at pc, or NULL. Reads a whole page, which contains
 * about twenty sites, because reading each site by itself would take many
 * system calls.
 */
static const uint8_t *bytes_at(struct change *change, uint64_t pc,
			       uint64_t count)
{
	const uint64_t page = pc & ~(PAGE_BYTES - 1);

	if (pc + count - page > PAGE_BYTES) {
		change->page = 0;
		return sys_read_memory(pc, change->copy, count) ? NULL
								: change->copy;
	}
	if (change->page != page &&
	    sys_read_memory(page, change->copy, PAGE_BYTES)) {
		change->page = 0;
		return NULL;
	}
	change->page = page;
	return change->copy + (pc - page);
}

/*
 * Returns whether the bytes at pc are the original ones, the hook's, or a
 * mixture that an interrupted change has left.
 */
static int is_ours(struct change *change, uint64_t pc,
		   const struct patch_text *text)
{
	const uint8_t *bytes = bytes_at(change, pc, text->bytes);

	if (!bytes)
		return 0;
	for (unsigned int i = 0; i < text->bytes; i++)
		if (bytes[i] != text->before[i] && bytes[i] != text->after[i] &&
		    (i >= BREAKPOINT_BYTES || bytes[i] != BREAKPOINT_CODE))
			return 0;
	return 1;
}

static void check_sites(struct change *change)
{
	for (uint32_t i = 0; i < change->count; i++) {
		const struct live_range *range = &change->ranges[i];
		const uint64_t base = range->patch->base;
		struct patch_site *site = &range->patch->sites[range->first];

		for (uint32_t n = 0; n < range->count; n++, site++) {
			site->is_overwritten = !is_ours(
				change, base + site->text.pc, &site->text);
			rt.patches->has_overwritten |= site->is_overwritten;
		}
	}
}

/* ---- Steps ---- */

static const uint8_t *bytes_of(const struct patch_text *text, int to_hooked)
{
	return to_hooked ? text->after : text->before;
}

static int write_trap(struct change *change, uint64_t pc,
		      const struct patch_text *text, int to_hooked)
{
	static const uint8_t trap = BREAKPOINT_CODE;

	return code_write(&change->writer, pc, &trap, BREAKPOINT_BYTES);
}

static int write_tail(struct change *change, uint64_t pc,
		      const struct patch_text *text, int to_hooked)
{
	const unsigned int head = BREAKPOINT_BYTES;

	if (text->bytes == head)
		return 0;
	return code_write(&change->writer, pc + head,
			  bytes_of(text, to_hooked) + head, text->bytes - head);
}

static int write_head(struct change *change, uint64_t pc,
		      const struct patch_text *text, int to_hooked)
{
	return code_write(&change->writer, pc, bytes_of(text, to_hooked),
			  BREAKPOINT_BYTES);
}

/* Executes one step at all sites, then the barrier. */
static int step(struct change *change,
		int (*write)(struct change *, uint64_t pc,
			     const struct patch_text *, int to_hooked),
		int to_hooked)
{
	int err = 0;

	for (uint32_t i = 0; i < change->count && !err; i++) {
		const struct live_range *range = &change->ranges[i];
		const struct patch_site *site =
			&range->patch->sites[range->first];

		for (uint32_t n = 0; n < range->count && !err; n++, site++)
			if (!site->is_overwritten)
				err = write(change,
					    range->patch->base + site->text.pc,
					    &site->text, to_hooked);
	}
	return err ? err : code_barrier(&change->writer);
}

/* Writes the islands. No thread executes them before a site leads there. */
static int write_islands(struct change *change)
{
	int err = 0;

	for (uint32_t i = 0; i < change->count && !err; i++) {
		const struct patch *patch = change->ranges[i].patch;

		/* A change has one range for each function. */
		if (i && patch == change->ranges[i - 1].patch)
			continue;
		for (uint32_t n = 0; n < patch->island_count && !err; n++)
			err = code_write(&change->writer,
					 patch->base + patch->islands[n].pc,
					 patch->islands[n].after,
					 patch->islands[n].bytes);
	}
	return err;
}

/* ---- Threads in the way ---- */

/* Returns whether pc is inside the bytes that a jump will replace. */
static int is_replaced(const void *context, uint64_t pc)
{
	const struct patch *patch =
		__atomic_load_n(&rt.patches->first, __ATOMIC_ACQUIRE);

	for (; patch; patch = patch->next)
		if (!patch->is_disabled && patch_covers(patch, pc))
			return 1;
	return 0;
}

static const struct quiesce_places replaced = { .contains = is_replaced };

/*
 * Returns -EPERM under a system call filter that clew has not checked, which
 * might kill the process at the calls that follow, and under a debugger, which
 * would stop at each int3.
 */
static int check_process(void)
{
	struct proc_line tracer = { .name = "TracerPid", .base = 10 };
	int err = proc_status(0, &tracer, 1);

	return err ? err : tracer.value || filter_is_new() ? -EPERM : 0;
}

/* ---- Changes ---- */

static void undo(struct change *change, int to_hooked)
{
	step(change, write_tail, !to_hooked);
	step(change, write_head, !to_hooked);
}

static int has_hosts(const struct change *change)
{
	for (uint32_t i = 0; i < change->count; i++) {
		const struct live_range *range = &change->ranges[i];
		const struct patch_site *site =
			&range->patch->sites[range->first];

		for (uint32_t n = 0; n < range->count; n++)
			if (site[n].is_host)
				return 1;
	}
	return 0;
}

/*
 * Returns until when to wait for threads. On a busy system, writing the
 * breakpoints may have taken all of the time.
 */
static uint64_t deadline_of(const struct change *change)
{
	const uint64_t least_ns = sys_clock_ns(CLOCK_MONOTONIC) + WAIT_NS;

	return change->deadline_ns > least_ns ? change->deadline_ns : least_ns;
}

static int run(struct change *change, int to_hooked, int *tid)
{
	int err = quiesce_can_trap(change->deadline_ns, tid);

	if (!err && to_hooked)
		err = write_islands(change);
	if (err)
		return err;
	check_sites(change);
	err = step(change, write_trap, to_hooked);
	if (!err && (to_hooked || has_hosts(change)))
		err = quiesce(&replaced, deadline_of(change), tid);
	if (!err)
		err = step(change, write_tail, to_hooked);
	if (!err)
		err = step(change, write_head, to_hooked);
	if (err)
		undo(change, to_hooked);
	return err;
}

static int change_all(struct change *change, int to_hooked, int *tid)
{
	int err = check_process();

	if (!err)
		err = trap_install();
	if (!err)
		err = code_open(&change->writer, CODE_IS_LIVE, NULL);
	if (err)
		return err;
	err = run(change, to_hooked, tid);
	code_close(&change->writer);
	return err;
}

int live_commit(const struct live_range *ranges, uint32_t count,
		uint64_t deadline_ns, int *tid)
{
	struct change change = { .ranges = ranges,
				 .count = count,
				 .deadline_ns = deadline_ns };

	return change_all(&change, 1, tid);
}

int live_revert(const struct live_range *ranges, uint32_t count,
		uint64_t deadline_ns, int *tid)
{
	struct change change = { .ranges = ranges,
				 .count = count,
				 .deadline_ns = deadline_ns };

	return change_all(&change, 0, tid);
}
