/* SPDX-License-Identifier: MIT */
/* See natives.h. */
#include "preload/modules/natives.h"

#include <stddef.h>

#include "machine/address_space.h"
#include "preload/hot/native.h"
#include "preload/hot/runtime.h"

/* 1 after natives_distrust(). Protected by the loader's lock. */
static int is_distrustful;

static void change_windows(uint64_t start, uint64_t end, uint8_t from,
			   uint8_t to)
{
	for (uint64_t window = start >> WINDOW_SHIFT;
	     start < end && window <= (end - 1) >> WINDOW_SHIFT; window++) {
		uint8_t what = from;

		__atomic_compare_exchange_n(&hot_windows[window], &what, to, 0,
					    __ATOMIC_RELAXED, __ATOMIC_RELAXED);
	}
}

void natives_distrust(void)
{
	is_distrustful = 1;
	for (uint32_t i = 0; i < hot_native_count; i++)
		change_windows(hot_native[i].start, hot_native[i].end,
			       WINDOW_MODULES, WINDOW_UNKNOWN);
}

void natives_share(uint64_t start, uint64_t end)
{
	if (end > ADDRESS_END)
		end = ADDRESS_END;
	change_windows(start, end, WINDOW_UNKNOWN, WINDOW_SHARED);
	change_windows(start, end, WINDOW_MODULES, WINDOW_SHARED);
}

int natives_are_shared(uint64_t pc)
{
	return runtime_window(pc) == WINDOW_SHARED;
}

static struct native_range *find_range(uint64_t start, uint64_t end)
{
	for (uint32_t i = 0; i < hot_native_count; i++)
		if (hot_native[i].end == end &&
		    (!end || hot_native[i].start == start))
			return &hot_native[i];
	return NULL;
}

static void add_range(const struct pc_range *code)
{
	struct native_range *range = find_range(0, 0);

	if (!range) {
		if (hot_native_count == NATIVE_MAX)
			return;
		range = &hot_native[hot_native_count];
		hot_native_count++;
	}
	atomic_store_explicit(&range->start, code->start, memory_order_relaxed);
	/* This release store pairs with the load in native_find(). */
	atomic_store_explicit(&range->end, code->end, memory_order_release);
	if (!is_distrustful)
		change_windows(code->start, code->end, WINDOW_UNKNOWN,
			       WINDOW_MODULES);
}

static void remove_range(const struct pc_range *code)
{
	struct native_range *range = find_range(code->start, code->end);

	if (range)
		atomic_store(&range->end, 0);
}

void natives_disown(const struct module *module)
{
	remove_range(&module->code);
	natives_share(module->code.start, module->code.end);
}

/*
 * Removes the ranges of unloaded modules first, because new modules may be at
 * the same addresses.
 */
void natives_update(const struct modules *modules)
{
	for (const struct module *m = modules->first; m; m = m->next)
		if (m->is_gone && !m->is_retired && m->code.end)
			remove_range(&m->code);
	for (const struct module *m = modules->first; m; m = m->next)
		if (m->is_new && m->code.end)
			add_range(&m->code);
}
