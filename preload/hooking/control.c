/* SPDX-License-Identifier: MIT */
/*
 * Implements clew_hook() and clew_unhook() (agent/clew.h), by which the program
 * writes all hooks into its code or restores the original code.
 */
#include "agent/clew.h"

#include <errno.h>

#include "preload/front/changed_text.h"
#include "preload/hot/runtime.h"
#include "preload/lookup/patches.h"
#include "preload/patch/live.h"
#include "preload/stack/heal.h"
#include "preload/sys/proc_threads.h"
#include "preload/sys/sys.h"
#include "preload/time/watch.h"

#define PATIENCE_NS UINT64_C(5000000000)

static int count_thread(void *context, int tid)
{
	++*(uint32_t *)context;
	return 0;
}

static int is_alone(void)
{
	uint32_t threads = 0;

	return !proc_each_thread(watch_tid(), count_thread, &threads) &&
	       threads == 1;
}

/*
 * Returns whether a patch must be written (to_hooked) or reverted. libc's hooks
 * are skipped while several threads run: libc sometimes blocks all signals by
 * system calls of its own, and a breakpoint of live patching must not be hit
 * then.
 */
static int is_concerned(const struct patch *patch, int to_hooked,
			int is_single_threaded)
{
	return patch->is_written != to_hooked && !patch->is_disabled &&
	       (is_single_threaded || !patch->module->is_libc);
}

/*
 * Returns the number of patches to change. Stores them in ranges[] if that is
 * not NULL.
 */
static uint32_t gather(const struct patches *patches, int to_hooked,
		       int is_single_threaded, struct live_range *ranges)
{
	uint32_t count = 0;

	for (const struct patch *p = patches->first; p; p = p->next) {
		if (!is_concerned(p, to_hooked, is_single_threaded))
			continue;
		if (ranges)
			ranges[count] =
				(struct live_range){ .patch = p,
						     .count = p->site_count };
		count++;
	}
	return count;
}

static void note_written(struct patches *patches, int to_hooked,
			 int is_single_threaded)
{
	patches->is_out = !to_hooked;
	for (struct patch *p = patches->first; p; p = p->next)
		if (is_concerned(p, to_hooked, is_single_threaded))
			p->is_written = to_hooked;
}

/*
 * Updates heal.h's list of modules whose unwinder reports where an exception
 * lands. Such a module reports by a probe in its unwinder (patch->lands), so it
 * is in the list only while that probe is written.
 */
static void expect_announcements(const struct patches *patches, int to_hooked,
				 int is_single_threaded, int are_announced)
{
	for (const struct patch *p = patches->first; p; p = p->next) {
		if (!p->lands ||
		    !is_concerned(p, to_hooked, is_single_threaded))
			continue;
		if (are_announced)
			heal_watch(&p->module->code);
		else
			heal_forget(&p->module->code);
	}
}

static int change_hooks(struct patches *patches, int to_hooked,
			uint64_t deadline_ns)
{
	const int is_single_threaded = is_alone();
	uint32_t count = gather(patches, to_hooked, is_single_threaded, NULL);
	uint64_t bytes = (count + UINT64_C(1)) * sizeof(struct live_range);
	struct live_range *ranges = sys_map_private(bytes);
	int err, tid = 0;

	if (sys_failed(ranges))
		return -ENOMEM;
	gather(patches, to_hooked, is_single_threaded, ranges);
	if (!to_hooked)
		expect_announcements(patches, to_hooked, is_single_threaded, 0);
	err = to_hooked ? live_commit(ranges, count, deadline_ns, &tid)
			: live_revert(ranges, count, deadline_ns, &tid);
	sys_munmap(ranges, bytes);
	if (to_hooked ? !err : err)
		expect_announcements(patches, to_hooked, is_single_threaded, 1);
	if (!err)
		note_written(patches, to_hooked, is_single_threaded);
	return err;
}

/*
 * Acquires the lock while no module is being unloaded. Returns -EBUSY at the
 * deadline.
 */
static int acquire(struct patches *patches, uint64_t deadline_ns,
		   uint64_t *signals)
{
	const struct timespec moment = { .tv_nsec = 100000 };

	for (;;) {
		lock_acquire(&patches->lock, signals);
		if (!atomic_load(&patches->is_unloading))
			return 0;
		lock_release(&patches->lock, signals);
		if (sys_clock_ns(CLOCK_MONOTONIC) >= deadline_ns)
			return -EBUSY;
		sys_call(SYS_nanosleep, (long)&moment, 0, 0, 0, 0, 0);
	}
}

static int control(int to_hooked)
{
	uint64_t deadline_ns = sys_clock_ns(CLOCK_MONOTONIC) + PATIENCE_NS;
	uint64_t signals;
	int err;

	if (!rt.header || rt.header->state != WIRE_RUNNING)
		return -ENODEV;
	err = acquire(rt.patches, deadline_ns, &signals);
	if (err)
		return err;
	err = change_hooks(rt.patches, to_hooked, deadline_ns);
	lock_release(&rt.patches->lock, &signals);
	changed_text_check();
	return err;
}

int clew_unhook(void)
{
	return control(0);
}

int clew_hook(void)
{
	return control(1);
}
