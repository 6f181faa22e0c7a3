/* SPDX-License-Identifier: MIT */
/* See module_patches.h. */
#include "preload/hooking/module_patches.h"

#include <errno.h>

#include "preload/lookup/leaf_ids.h"
#include "preload/patch/guard.h"
#include "preload/patch/patch.h"
#include "preload/patch/trap.h"
#include "preload/stack/heal.h"
#include "preload/stack/landing.h"

/* ---- The list that signal handlers read; changed with the lock held ---- */

static void make_known(struct patches *patches, struct patch *patch)
{
	leaf_ids_know(patch);
	patch->next = patches->first;
	__atomic_store_n(&patches->first, patch, __ATOMIC_RELEASE);
}

/*
 * Removes a patch from the list. The patch's own `next` stays unchanged,
 * because a signal handler may be reading it.
 */
static void make_unknown(struct patches *patches, const struct patch *patch)
{
	struct patch **at = &patches->first;

	while (*at && *at != patch)
		at = &(*at)->next;
	if (*at)
		__atomic_store_n(at, patch->next, __ATOMIC_RELEASE);
}

/*
 * Registers the sites of leaps (instructions that load the stack pointer and
 * jump). A patch that is mapped from a file of hooked code (patch->text) has
 * none.
 */
static void note_leaps(const struct patch *patch)
{
	for (uint32_t i = 0; !patch->text && i < patch->site_count; i++)
		if (patch->sites[i].verdict == VERDICT_IS_LEAP)
			landing_note_leap(patch->base +
					  patch->sites[i].text.pc);
}

/* ---- Chains ---- */

/*
 * Returns whether a new patch changes bytes that an existing patch of the
 * module changes.
 */
static int meets_another(const struct module *module, const struct patch *chain)
{
	for (const struct patch *p = chain; p; p = p->next_of_module)
		for (const struct patch *other = module->patches; other;
		     other = other->next_of_module)
			if (patch_meets(p, other))
				return 1;
	return 0;
}

/* Installs the SIGTRAP handler before a breakpoint can be hit. */
static int prepare_for_traps(const struct patch *chain)
{
	for (; chain; chain = chain->next_of_module)
		if (chain->trap_count)
			return trap_install();
	return 0;
}

static void attach(struct module *module, struct patch *chain)
{
	struct patch **end = &chain;

	while (*end)
		end = &(*end)->next_of_module;
	*end = module->patches;
	module->patches = chain;
}

/*
 * Copies the module's properties from an earlier patch. If the earlier stubs
 * are guarded (they check whether the caller is generated code, guard.h), the
 * new stubs become guarded as well.
 */
static void follow(struct patch *patch, const struct patch *former)
{
	patch->resolves_returns |= former->resolves_returns;
	patch->may_generate |= former->may_generate;
	if (former->is_guarded && !patch->is_guarded &&
	    !patch->resolves_returns)
		guard_patch(patch);
}

/* Called with the lock held. */
static int write_chain(struct patches *patches, struct module *module,
		       struct patch *chain)
{
	int err = 0;

	for (struct patch *p = chain; p; p = p->next_of_module) {
		p->module = module;
		if (module->patches)
			follow(p, module->patches);
		make_known(patches, p);
		note_leaps(p);
	}
	if (!patches->is_out)
		err = patch_commit(chain);
	for (struct patch *p = chain; p; p = p->next_of_module) {
		p->text = NULL; /* later writes go site by site */
		if (err)
			make_unknown(patches, p);
		else if (p->lands && !patches->is_out)
			heal_watch(&module->code);
	}
	return err;
}

int module_patches_commit(struct cold *cold, struct module *module,
			  struct patch *chain)
{
	uint64_t signals;
	int err;

	if (meets_another(module, chain))
		return -EEXIST;
	err = prepare_for_traps(chain);
	if (err)
		return err;
	lock_acquire(&cold->patches.lock, &signals);
	err = write_chain(&cold->patches, module, chain);
	if (!err)
		attach(module, chain);
	lock_release(&cold->patches.lock, &signals);
	return err;
}

void module_patches_add(struct cold *cold, struct module *module,
			struct patch *patch)
{
	make_known(&cold->patches, patch);
	attach(module, patch);
}

void module_patches_retire(struct cold *cold, struct module *module)
{
	uint64_t signals;

	lock_acquire(&cold->patches.lock, &signals);
	for (struct patch *p = module->patches; p; p = p->next_of_module) {
		p->is_written = 0;
		if (p->lands)
			heal_forget(&module->code);
		make_unknown(&cold->patches, p);
	}
	lock_release(&cold->patches.lock, &signals);
}

static int all_fit(const struct patch *chain)
{
	for (; chain; chain = chain->next_of_module)
		if (!patch_fits(chain))
			return 0;
	return 1;
}

int module_patches_again(struct cold *cold, struct module *former,
			 struct module *module)
{
	int err = all_fit(former->patches)
			  ? module_patches_commit(cold, module, former->patches)
			  : -ENOEXEC;

	if (!err)
		former->patches = NULL;
	return err;
}
