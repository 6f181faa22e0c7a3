/* SPDX-License-Identifier: MIT */
#include "preload/session/hook_slices.h"

#include <errno.h>
#include <link.h>

#include "preload/hooking/hook.h"
#include "preload/hooking/hooking_turn.h"
#include "preload/hooking/prelinking.h"
#include "preload/host/lookup.h"
#include "preload/host/next.h"
#include "preload/patch/journal.h"
#include "preload/sys/slices.h"

/* Of CPU time; what a thread is away is some milliseconds longer. */
#define SLICE_NS UINT64_C(5000000)

/* Under the loader's list's lock. */
static struct {
	struct cold *cold;
	uint64_t *loaded;
	int result;
	unsigned long long unloaded; /* how many modules, when seen last */
} hooking;

/* Of what is gone nothing is noted any more. */
static void hook(void *cold)
{
	hooking.result = hook_update(cold);
	if (!hooking.result)
		prelinking_share_code(cold);
	journal_refresh();
}

static void look_for_gone(struct modules *modules)
{
	modules_look_for_gone(modules);
	for (struct module *m = modules->first; m; m = m->next)
		if (m->is_gone && !m->is_retired)
			journal_forget(&m->image);
}

static int begin(struct cold *cold)
{
	const uint64_t generation = lookup_generation();
	int err;

	if (!generation)
		return -EAGAIN;
	err = slices_begin(hook, cold);
	if (!err)
		*hooking.loaded = generation;
	return err;
}

/* Negative, or 1: dl_iterate_phdr() is to return that. */
static int go_on(struct dl_phdr_info *info, size_t size, void *cold)
{
	int err = 0;

	if (!lookup_generation())
		return -EAGAIN;
	if (!slices_are_left())
		err = begin(cold);
	else if (info->dlpi_subs != hooking.unloaded)
		look_for_gone(&hooking.cold->modules);
	if (err)
		return err;
	hooking.cold = cold;
	hooking.unloaded = info->dlpi_subs;
	if (!slices_go_on(SLICE_NS))
		return -EINPROGRESS;
	return hooking.result ? hooking.result : 1;
}

int hook_slice(struct cold *cold, uint64_t *loaded)
{
	int result;

	hooking.loaded = loaded;
	result = NEXT(dl_iterate_phdr)(go_on, cold);
	return result < 0 ? result : 0;
}

int hook_slices_are_left(void)
{
	return slices_are_left();
}

void hook_slices_forget(void)
{
	slices_forget();
	hooking_turn_give();
}
