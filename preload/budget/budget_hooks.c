/* SPDX-License-Identifier: MIT */
/* See budget_hooks.h. */
#include "preload/budget/budget_hooks.h"

#include <errno.h>
#include <string.h>

#include "preload/hot/runtime.h"
#include "preload/lookup/patches.h"
#include "preload/patch/live.h"
#include "preload/sys/sys.h"
#include "wire/verdict.h"

/*
 * Time limit of a change. Threads that fork or load a library wait meanwhile.
 */
#define PATIENCE_NS UINT64_C(50000000)

static int may_change(const struct patch *patch, const struct patch_site *site)
{
	return !patch->module->is_libc && !site->is_host && !site->is_guest &&
	       !site->has_probe &&
	       verdict_class(site->verdict) == VERDICT_HOOKED;
}

static int is_hooked(const struct patch *patch, const struct patch_site *site)
{
	return !memcmp((const void *)(patch->base + site->text.pc),
		       site->text.after, site->text.bytes);
}

static int acquire(struct patches *patches, uint64_t *signals)
{
	lock_acquire(&patches->lock, signals);
	if (!patches->is_out && !atomic_load(&patches->is_unloading))
		return 0;
	lock_release(&patches->lock, signals);
	return -EBUSY;
}

static void learn(struct budget_functions *functions, const struct patch *patch,
		  const struct patch_site *site)
{
	struct budget_function *slot =
		budget_functions_find(functions, site->function);

	if (!slot)
		return;
	slot->may_change = (uint8_t)may_change(patch, site);
	slot->is_trap = site->verdict == VERDICT_IS_TRAP;
	if (slot->is_out && is_hooked(patch, site))
		slot->is_out = 0;
}

int budget_hooks_learn(struct budget_functions *functions)
{
	uint64_t signals;
	int err = acquire(rt.patches, &signals);

	if (err)
		return err;
	for (uint32_t i = 0; i < functions->room; i++)
		functions->slots[i].may_change = 0;
	for (const struct patch *p = rt.patches->first; p; p = p->next)
		for (uint32_t i = 0; p->is_written && i < p->site_count; i++)
			learn(functions, p, &p->sites[i]);
	lock_release(&rt.patches->lock, &signals);
	return 0;
}

/* Collects the chosen functions into ranges. */
static uint32_t gather(const struct budget_functions *functions,
		       struct live_range *ranges, uint32_t room)
{
	uint32_t count = 0;

	for (const struct patch *p = rt.patches->first; p; p = p->next) {
		for (uint32_t i = 0; p->is_written && i < p->site_count; i++) {
			const struct budget_function *slot =
				budget_functions_find(functions,
						      p->sites[i].function);

			if (!slot || !slot->is_chosen ||
			    !may_change(p, &p->sites[i]) || count == room)
				continue;
			ranges[count++] = (struct live_range){ .patch = p,
							       .first = i,
							       .count = 1 };
		}
	}
	return count;
}

static uint32_t chosen(const struct budget_functions *functions)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < functions->room; i++)
		count += functions->slots[i].is_chosen;
	return count;
}

static int change(const struct budget_functions *functions, uint32_t room,
		  int to_hooked)
{
	const uint64_t deadline_ns =
		sys_clock_ns(CLOCK_MONOTONIC) + PATIENCE_NS;
	const uint64_t bytes = room * sizeof(struct live_range);
	struct live_range *ranges = sys_map_private(bytes);
	uint32_t count;
	int err, tid = 0;

	if (sys_failed(ranges))
		return -ENOMEM;
	count = gather(functions, ranges, room);
	err = to_hooked ? live_commit(ranges, count, deadline_ns, &tid)
			: live_revert(ranges, count, deadline_ns, &tid);
	sys_munmap(ranges, bytes);
	return err;
}

int budget_hooks_change(struct budget_functions *functions, int to_hooked)
{
	const uint32_t room = chosen(functions);
	uint64_t signals;
	int err;

	if (!room)
		return 0;
	err = acquire(rt.patches, &signals);
	if (!err) {
		err = change(functions, room, to_hooked);
		lock_release(&rt.patches->lock, &signals);
	}
	for (uint32_t i = 0; i < functions->room; i++) {
		struct budget_function *slot = &functions->slots[i];

		if (slot->is_chosen && !err)
			slot->is_out = !to_hooked;
		slot->is_chosen = 0;
	}
	return err;
}
