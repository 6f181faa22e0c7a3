/* SPDX-License-Identifier: MIT */
/*
 * The snapshots of a probe's slowest calls (expression/probe_action.h,
 * `snapshot slowest N`). A process retains at most N of them: a slower call
 * replaces the fastest one, whose folder is removed. Any thread and any signal
 * handler may call these functions. While threads write snapshots at the same
 * time, each may have one more.
 */
#ifndef CLEW_PROBE_SLOWEST_SNAPSHOTS_H
#define CLEW_PROBE_SLOWEST_SNAPSHOTS_H

#include <stdatomic.h>
#include <stdint.h>

#include "preload/host/config.h"

/* Zero-initialised. */
struct slowest_snapshots {
	/* Durations and numbers of snapshots; 0: free. */
	_Atomic uint64_t retained[PROBE_SLOWEST_MAX];
	_Atomic uint32_t failures; /* snapshots that could not be written */
};

/*
 * Writes a snapshot of a call that took `ticks`, if it is one of the `limit`
 * slowest. Returns 1 if there is no snapshot of this call, or an earlier one
 * was removed for it; otherwise 0. After `limit` failures no more are written.
 */
unsigned int slowest_snapshots_take(struct slowest_snapshots *slowest,
				    uint32_t limit, uint64_t ticks);

#endif
