/* SPDX-License-Identifier: MIT */
/* See probe_switch.h. */
#include "preload/live/probe_switch.h"

#include <errno.h>
#include <string.h>

#include "preload/hooking/module_patches.h"
#include "preload/hot/runtime.h"
#include "preload/lookup/patches.h"
#include "preload/patch/live.h"
#include "preload/patch/patch.h"
#include "preload/sys/sys.h"

/*
 * Time limit of one attempt. The limit is short, because threads that fork or
 * load a library wait meanwhile.
 */
#define AT_ONCE_NS UINT64_C(2000000000)

uint32_t probe_switch_sites(const struct cold *cold, uint32_t number)
{
	uint32_t count = 0;

	EACH_MODULE(cold, m) {
		EACH_PATCH(m, p)
			if (p->probe == number + 1)
				count += p->site_count;
	}
	return count;
}

/* ---- Hooks that probes in stubs need ---- */

/*
 * Returns the hook whose stub contains the probe's site, or NULL. Sets *base to
 * the base of the hook's patch. The base of a probe's patch is 0, so its site
 * has an absolute address.
 */
static struct patch_site *hook_of(const struct module *module,
				  const struct patch_site *site, uint64_t *base)
{
	EACH_PATCH(module, p)
		for (uint32_t i = 0; i < p->site_count; i++) {
			const uint64_t stub = p->base + p->sites[i].stub;

			if (site->text.pc - stub >= p->stub_bytes || p->probe)
				continue;
			*base = p->base;
			return &p->sites[i];
		}
	return NULL;
}

static void note_in_stubs(const struct module *module,
			  const struct patch *patch, int is_enabled)
{
	for (uint32_t i = 0; i < patch->site_count; i++) {
		uint64_t base;
		struct patch_site *hook =
			patch->sites[i].is_in_stub
				? hook_of(module, &patch->sites[i], &base)
				: NULL;

		if (hook)
			hook->has_probe = is_enabled != 0;
	}
}

/*
 * Returns whether the code has its original bytes instead of the hook, which
 * --budget removes to save time (budget.h). No call then reaches the stub, nor
 * the probe in it.
 */
static int is_hook_out(const struct patch_site *hook, uint64_t base)
{
	return memcmp((const void *)(base + hook->text.pc), hook->text.before,
		      hook->text.bytes) == 0;
}

static int needs_hook(const struct module *module, const struct patch *patch)
{
	for (uint32_t i = 0; i < patch->site_count; i++) {
		uint64_t base;
		const struct patch_site *hook =
			patch->sites[i].is_in_stub
				? hook_of(module, &patch->sites[i], &base)
				: NULL;

		if (hook && is_hook_out(hook, base))
			return 1;
	}
	return 0;
}

/* ---- Writing ---- */

/*
 * Counts the probe's patches in loaded modules, and stores them in `ranges`
 * unless that is NULL.
 */
static uint32_t gather(const struct cold *cold, uint32_t number,
		       struct live_range *ranges)
{
	uint32_t count = 0;

	EACH_MODULE(cold, m) {
		if (!module_is_loaded(m))
			continue;
		EACH_PATCH(m, p) {
			if (p->probe != number + 1 || !p->site_count)
				continue;
			if (ranges)
				ranges[count] = (struct live_range){
					.patch = p, .count = p->site_count
				};
			count++;
		}
	}
	return count;
}

static void mark_disabled(const struct cold *cold, uint32_t number,
			  int is_disabled)
{
	EACH_MODULE(cold, m)
		EACH_PATCH(m, p)
			if (p->probe == number + 1)
				p->is_disabled = is_disabled;
}

static void note_written(const struct cold *cold, uint32_t number,
			 int is_written)
{
	EACH_MODULE(cold, m)
		EACH_PATCH(m, p)
			if (p->probe == number + 1) {
				p->is_written =
					module_is_loaded(m) && is_written;
				note_in_stubs(m, p, is_written);
			}
}

static int write_ranges(const struct cold *cold, uint32_t number, int to_there,
			uint64_t deadline_ns)
{
	const uint32_t count = gather(cold, number, NULL);
	const uint64_t bytes =
		(count + UINT64_C(1)) * sizeof(struct live_range);
	struct live_range *ranges = sys_map_private(bytes);
	int err, tid = 0;

	if (sys_failed(ranges))
		return -ENOMEM;
	gather(cold, number, ranges);
	err = to_there ? live_commit(ranges, count, deadline_ns, &tid)
		       : live_revert(ranges, count, deadline_ns, &tid);
	sys_munmap(ranges, bytes);
	return err;
}

/*
 * Called with the patches' lock held. While all hooks are removed, nothing is
 * written.
 */
static int change_locked(struct cold *cold, uint32_t number, int to_there,
			 uint64_t deadline_ns)
{
	int err = 0;

	mark_disabled(cold, number, 0); /* live.h skips disabled patches */
	if (!cold->patches.is_out)
		err = write_ranges(cold, number, to_there, deadline_ns);
	if (!err)
		note_written(cold, number, to_there && !cold->patches.is_out);
	if (to_there ? err : !err)
		mark_disabled(cold, number, 1);
	return err;
}

static int change_once(struct cold *cold, uint32_t number, int to_there)
{
	uint64_t signals;
	int err;

	lock_acquire(&cold->patches.lock, &signals);
	err = change_locked(cold, number, to_there,
			    sys_clock_ns(CLOCK_MONOTONIC) + AT_ONCE_NS);
	lock_release(&cold->patches.lock, &signals);
	return err;
}

int probe_switch(struct cold *cold, uint32_t number, int to_there,
		 uint64_t deadline_ns)
{
	const struct timespec moment = { .tv_nsec = 5000000 };
	int err;

	while ((err = change_once(cold, number, to_there)) == -EBUSY &&
	       sys_clock_ns(CLOCK_MONOTONIC) < deadline_ns)
		sys_call(SYS_nanosleep, (long)&moment, 0, 0, 0, 0, 0);
	return err;
}

/* ---- Obstacles ---- */

/*
 * Returns why the patch cannot be written: another user probe changes some of
 * the same bytes, or a hook that the probe needs is missing. Returns
 * PROBE_IS_NONE if the patch can be written.
 */
static enum probe_reason obstacle(const struct module *module,
				  const struct patch *patch)
{
	EACH_PATCH(module, other) {
		if (!other->probe || other == patch || other->is_disabled ||
		    !patch_meets(patch, other))
			continue;
		for (uint32_t i = 0; i < patch->site_count; i++)
			if (patch_find(other, patch->sites[i].text.pc))
				return PROBE_IS_TWICE;
		return PROBE_IS_DISPLACED;
	}
	return needs_hook(module, patch) ? PROBE_IS_NO_HOOK : PROBE_IS_NONE;
}

enum probe_reason probe_switch_obstacle(const struct cold *cold,
					uint32_t number)
{
	enum probe_reason reason = PROBE_IS_NONE;

	EACH_MODULE(cold, m) {
		if (!module_is_loaded(m))
			continue;
		EACH_PATCH(m, p)
			if (!reason && p->probe == number + 1)
				reason = obstacle(m, p);
	}
	return reason;
}
