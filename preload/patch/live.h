/* SPDX-License-Identifier: MIT */
/*
 * Hooks and unhooks functions while threads execute them. The first bytes of
 * each function (its site, patch.h) are first replaced by a breakpoint, so that
 * each thread executes either the old bytes or the new ones.
 */
#ifndef CLEW_PATCH_LIVE_H
#define CLEW_PATCH_LIVE_H

#include "preload/patch/patch.h"

/* `count` sites of a patch, beginning with the one at index `first`. */
struct live_range {
	const struct patch *patch;
	uint32_t first;
	uint32_t count;
};

/*
 * live_commit() hooks these sites, live_revert() restores their original bytes.
 * A site that something else has overwritten (is_overwritten) stays unchanged.
 * Of the other sites, either all are changed or none. The program's calls work
 * all the time, with or without the stub. Hosts (patch.h) are changed together
 * with their guests. The patches must be in the list of patches (patches.h),
 * and their modules must stay loaded; the caller holds the list's lock, with
 * all signals blocked.
 *
 * Return 0, or -errno if no site was changed: -EBUSY with the *tid of a thread
 * that was in the way until CLOCK_MONOTONIC reached deadline_ns (or for 50 ms,
 * if the sites were written so late), -EPERM under a
 * debugger or a system call filter, -ENOSYS or another error of the kernel if
 * it does not permit the change.
 */
int live_commit(const struct live_range *ranges, uint32_t count,
		uint64_t deadline_ns, int *tid);
int live_revert(const struct live_range *ranges, uint32_t count,
		uint64_t deadline_ns, int *tid);

#endif
