/* SPDX-License-Identifier: MIT */
#include "preload/natives.h"

#include <stddef.h>

#include "preload/hot/native.h"

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
	/* pairs with native_has() */
	atomic_store_explicit(&range->end, code->end, memory_order_release);
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
}

/* Those that go first: what comes may lie where they were. */
void natives_update(const struct modules *modules)
{
	for (const struct module *m = modules->first; m; m = m->next)
		if (m->is_gone && !m->is_retired && m->code.end)
			remove_range(&m->code);
	for (const struct module *m = modules->first; m; m = m->next)
		if (m->is_new && m->code.end)
			add_range(&m->code);
}
