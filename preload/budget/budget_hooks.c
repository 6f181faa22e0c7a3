/* SPDX-License-Identifier: MIT */
/* See budget_hooks.h. */
#include "preload/budget/budget_hooks.h"

#include <errno.h>
#include <string.h>

#include "preload/hot/runtime.h"
#include "preload/lookup/patches.h"
#include "preload/patch/code.h"
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

int budget_hooks_lock(uint64_t *signals)
{
	struct patches *patches = rt.patches;

	lock_acquire(&patches->lock, signals);
	if (!patches->is_out && !atomic_load(&patches->is_unloading))
		return 0;
	lock_release(&patches->lock, signals);
	return -EBUSY;
}

void budget_hooks_unlock(const uint64_t *signals)
{
	lock_release(&rt.patches->lock, signals);
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
	int err = budget_hooks_lock(&signals);

	if (err)
		return err;
	for (uint32_t i = 0; i < functions->room; i++)
		functions->slots[i].may_change = 0;
	for (const struct patch *p = rt.patches->first; p; p = p->next)
		for (uint32_t i = 0; p->is_written && i < p->site_count; i++)
			learn(functions, p, &p->sites[i]);
	budget_hooks_unlock(&signals);
	return 0;
}

/* ---- Before the program runs ---- */

/* Returns the slot of a site whose function is to be unhooked, or NULL. */
static struct budget_function *chosen_at(
	const struct budget_functions *functions, const struct patch *patch,
	const struct patch_site *site)
{
	struct budget_function *slot =
		budget_functions_find(functions, site->function);

	return slot && slot->is_chosen && may_change(patch, site) &&
			       is_hooked(patch, site)
		       ? slot
		       : NULL;
}

static int write_before(struct code_writer *writer,
			const struct budget_functions *functions,
			const struct patch *patch)
{
	int err = 0;

	for (uint32_t i = 0; patch->is_written && i < patch->site_count && !err;
	     i++) {
		const struct patch_site *site = &patch->sites[i];
		struct budget_function *slot =
			chosen_at(functions, patch, site);

		if (!slot)
			continue;
		err = code_write(writer, patch->base + site->text.pc,
				 site->text.before, site->text.bytes);
		slot->is_out = !err;
	}
	return err;
}

static int has_chosen(const struct budget_functions *functions,
		      const struct module *module)
{
	for (const struct patch *p = module->patches; p; p = p->next_of_module)
		for (uint32_t i = 0; p->is_written && i < p->site_count; i++)
			if (chosen_at(functions, p, &p->sites[i]))
				return 1;
	return 0;
}

/* Unhooks the chosen functions of a module. */
static int unhook_module(const struct budget_functions *functions,
			 const struct module *module)
{
	struct code_writer writer;
	int err = code_open(&writer, CODE_IS_IDLE, module), close_err;

	if (err)
		return err;
	for (const struct patch *p = module->patches; p && !err;
	     p = p->next_of_module)
		err = write_before(&writer, functions, p);
	if (!err)
		err = code_barrier(&writer);
	close_err = code_close(&writer);
	return err ? err : close_err;
}

int budget_hooks_unhook_idle(struct budget_functions *functions)
{
	uint64_t signals;
	int err = budget_hooks_lock(&signals);

	if (!err) {
		for (const struct patch *p = rt.patches->first; p && !err;
		     p = p->next)
			if (p == p->module->patches &&
			    has_chosen(functions, p->module))
				err = unhook_module(functions, p->module);
		budget_hooks_unlock(&signals);
	}
	for (uint32_t i = 0; i < functions->room; i++)
		functions->slots[i].is_chosen = 0;
	return err;
}

/* ---- While the program runs ---- */

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
	err = budget_hooks_lock(&signals);
	if (!err) {
		err = change(functions, room, to_hooked);
		budget_hooks_unlock(&signals);
	}
	for (uint32_t i = 0; i < functions->room; i++) {
		struct budget_function *slot = &functions->slots[i];

		if (slot->is_chosen && !err)
			slot->is_out = !to_hooked;
		slot->is_chosen = 0;
	}
	return err;
}
