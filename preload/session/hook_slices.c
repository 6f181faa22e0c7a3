/* SPDX-License-Identifier: MIT */
/* See hook_slices.h. */
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

/*
 * CPU time of a slice. The program misses the borrowed thread for a few
 * milliseconds more than this.
 */
#define SLICE_NS UINT64_C(5000000)

/* Protected by the lock of the loader's list. */
static struct {
	struct cold *cold;
	uint64_t *loaded;
	int result;
	/* Number of unloaded modules (dlpi_subs) at the last slice. */
	unsigned long long unloaded;
} hooking;

/*
 * Hooks the modules, and then updates the journal, so that it contains no patch
 * of an unloaded module.
 */
static void hook(void *cold)
{
	hooking.result = hook_update(cold);
	if (!hooking.result)
		prelinking_share_code(cold);
	journal_refresh();
}

static void find_unloaded(struct modules *modules)
{
	modules_find_unloaded(modules);
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

/*
 * Callback of dl_iterate_phdr(), which holds the loader's lock. Returns a
 * negative error or 1, so that dl_iterate_phdr() stops after the first module
 * and returns this value.
 */
static int go_on(struct dl_phdr_info *info, size_t size, void *cold)
{
	int err = 0;

	if (!lookup_generation())
		return -EAGAIN;
	if (!slices_are_left())
		err = begin(cold);
	else if (info->dlpi_subs != hooking.unloaded)
		find_unloaded(&hooking.cold->modules);
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
