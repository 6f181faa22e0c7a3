/* SPDX-License-Identifier: MIT */
/* See changed_text.h. */
#include "preload/front/changed_text.h"

#include <errno.h>
#include <string.h>

#include "machine/address_space.h"
#include "preload/front/syscalls.h"
#include "preload/host/next.h"
#include "preload/hot/native.h"
#include "preload/hot/runtime.h"
#include "preload/lookup/patches.h"
#include "preload/stubs/pads.h"
#include "preload/sys/sys.h"

#define DONTNEED_LOCKED 24 /* MADV_DONTNEED_LOCKED, since Linux 5.18 */

/*
 * Bounds of the modules' text in all ranges that were passed to
 * changed_text_note(). Written with the patches' lock held, which is also held
 * during fork.
 */
static struct {
	_Atomic uint64_t start, end;
} changed;

static uint64_t page_of(uint64_t at)
{
	return at & ~(PAGE_BYTES - 1);
}

static uint64_t page_end(uint64_t at)
{
	return page_of(at + PAGE_BYTES - 1);
}

/* ---- Dropped memory ---- */

/* The lowest part of [start, end) found so far that must not be dropped. */
struct kept_piece {
	uint64_t start, end;
};

static void keep(struct kept_piece *kept, uint64_t from, uint64_t start,
		 uint64_t end)
{
	if (start < from)
		start = from;
	if (start < end && start < kept->start)
		*kept = (struct kept_piece){ start, end };
}

/*
 * Returns the lowest part of [start, end) that must not be dropped, or { end,
 * end }.
 */
static struct kept_piece find_kept(uint64_t start, uint64_t end)
{
	const uint32_t count =
		atomic_load_explicit(&hot_native_count, memory_order_acquire);
	struct kept_piece kept = { end, end };

	for (uint32_t i = 0; i < count; i++)
		keep(&kept, start, page_of(hot_native[i].start),
		     page_end(hot_native[i].end));
	for (uint64_t at = start >> WINDOW_SHIFT;
	     at <= (end - 1) >> WINDOW_SHIFT; at++)
		if (hot_windows[at] == WINDOW_STUBS ||
		    hot_windows[at] == WINDOW_TRAMPOLINES)
			keep(&kept, start, at << WINDOW_SHIFT,
			     (at + 1) << WINDOW_SHIFT);
	for (uint32_t i = 0; i < pads_count(rt.pads); i++)
		keep(&kept, start, rt.pads->pages[i].start,
		     rt.pads->pages[i].start + PAGE_BYTES);
	return kept;
}

static long advise(uint64_t start, uint64_t bytes, int advice)
{
	return sys_call_anyway(SYS_madvise, (long)start, (long)bytes, advice, 0,
			       0, 0);
}

/*
 * Calls madvise() for the parts of [start, end) that may be dropped. Returns
 * the last error; like the kernel, continues after an error.
 */
static long drop_around_kept(uint64_t start, uint64_t end, int advice)
{
	long result = 0;

	while (start < end) {
		const struct kept_piece kept = find_kept(start, end);
		const long err =
			kept.start > start
				? advise(start, kept.start - start, advice)
				: 0;

		result = err ? err : result;
		start = kept.end;
	}
	return result;
}

static long drop(uint64_t start, uint64_t bytes, int advice)
{
	const uint64_t end = page_end(start + bytes);

	if (start % PAGE_BYTES || start >= end || end > ADDRESS_END)
		/*
		 * The kernel reports an error for this range, or does nothing.
		 */
		return advise(start, bytes, advice);
	return drop_around_kept(start, end, advice);
}

static int drops(int advice)
{
	return advice == MADV_DONTNEED || advice == DONTNEED_LOCKED;
}

EXPORT int madvise(void *start, size_t bytes, int advice)
{
	return (int)syscall_result(
		drops(advice) ? drop((uintptr_t)start, bytes, advice)
			      : advise((uintptr_t)start, bytes, advice));
}

long syscall_madvise(SYSCALL_ARGUMENTS)
{
	return madvise((void *)a, (size_t)b, (int)c);
}

/* ---- Overwritten memory ---- */

static int is_recorded(void)
{
	return rt.header && rt.header->state == WIRE_RUNNING && rt.patches &&
	       rt.is_this_process && *rt.is_this_process &&
	       !runtime_is_filtered();
}

static void add(uint64_t start, uint64_t end)
{
	uint64_t signals;

	lock_acquire(&rt.patches->lock, &signals);
	if (!changed.end || start < changed.start)
		changed.start = start;
	if (end > changed.end)
		changed.end = end;
	lock_release(&rt.patches->lock, &signals);
}

void changed_text_note(uint64_t start, uint64_t bytes)
{
	const uint64_t end = page_end(start + bytes);
	const uint32_t count =
		atomic_load_explicit(&hot_native_count, memory_order_acquire);

	for (uint32_t i = 0; i < count; i++) {
		const uint64_t first = hot_native[i].start;
		const uint64_t last = hot_native[i].end;

		if (start < last && end > first && is_recorded())
			add(start > first ? start : first,
			    end < last ? end : last);
	}
}

/*
 * Returns whether the program has overwritten the hook. If the original bytes
 * are there, clew itself may have removed the hook (the patch is not written,
 * or there is a budget); this does not count.
 */
static int is_gone(const struct patch *patch, const struct patch_site *site)
{
	uint8_t bytes[PATCH_BYTES_MAX];
	const struct patch_text *text = &site->text;

	if (sys_read_memory(patch->base + text->pc, bytes, text->bytes))
		return 1;
	if (memcmp(bytes, text->after, text->bytes) == 0)
		return 0;
	return (patch->is_written && !rt.header->budget) ||
	       memcmp(bytes, text->before, text->bytes) != 0;
}

/*
 * Returns the number of overwritten hooks among the sites of a patch that begin
 * in the noted range.
 */
static uint32_t count_marked(const struct patch *patch)
{
	const struct patch_site *end = patch->sites + patch->site_count;
	uint32_t count = 0;

	if (changed.end <= patch->base)
		return 0;
	for (const struct patch_site *site =
		     patch_from(patch, changed.start > patch->base
					       ? changed.start - patch->base
					       : 0);
	     site < end && site->text.pc < changed.end - patch->base; site++)
		count += !site->is_in_stub && !site->has_front &&
			 !site->is_overwritten && is_gone(patch, site);
	return count;
}

/*
 * Returns the number of overwritten hooks among the sites that a live change
 * has found overwritten (is_overwritten).
 */
static uint32_t count_overwritten(const struct patch *patch)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < patch->site_count; i++)
		count += patch->sites[i].is_overwritten &&
			 is_gone(patch, &patch->sites[i]);
	return count;
}

void changed_text_check(void)
{
	uint32_t count = 0;
	uint64_t signals;

	if (!is_recorded() || (!changed.end && !rt.patches->has_overwritten))
		return;
	lock_acquire(&rt.patches->lock, &signals);
	for (const struct patch *p = rt.patches->first; p; p = p->next) {
		if (p->is_written && !p->is_disabled)
			count += count_marked(p);
		if (rt.patches->has_overwritten && !p->is_disabled)
			count += count_overwritten(p);
	}
	atomic_store(&rt.header->overwritten_hooks, count);
	lock_release(&rt.patches->lock, &signals);
}
