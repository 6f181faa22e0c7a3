/* SPDX-License-Identifier: MIT */
/*
 * Hooking and unhooking functions while threads run through them: the first bytes
 * of each (its site, patch.h) are exchanged by way of a breakpoint, so that a
 * thread executes the old ones or the new ones.
 */
#ifndef CLEW_PATCH_LIVE_H
#define CLEW_PATCH_LIVE_H

#include "preload/patch/patch.h"

/* Sites of a patch, from number `first` on. */
struct live_range {
	const struct patch *patch;
	uint32_t first;
	uint32_t count;
};

/*
 * Write these sites, or restore them, but for those where what stands there is not
 * clew's (is_overwritten): these stay as they are. Either all are changed or none; no call
 * of a function fails to be made meanwhile, and each goes through its stub or
 * does not. Hosts (patch.h) go together with their guests. Patches must be
 * known to trap.h (cold.h), and their modules stay
 * loaded; the caller holds their lock, with all signals blocked.
 *
 * 0, or -errno when nothing was changed: -EBUSY with the *tid of a thread that
 * stood in the way until CLOCK_MONOTONIC was deadline_ns, -EPERM under a
 * debugger or a system call filter, -ENOSYS or what else the kernel says where
 * it does not let us.
 */
int live_commit(const struct live_range *ranges, uint32_t count,
		uint64_t deadline_ns, int *tid);
int live_revert(const struct live_range *ranges, uint32_t count,
		uint64_t deadline_ns, int *tid);

#endif
