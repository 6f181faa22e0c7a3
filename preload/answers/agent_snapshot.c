/* SPDX-License-Identifier: MIT */
/* clew_snapshot(): a recording of what the process has done so far, beside its own. */
#include "agent/clew.h"
#include "preload/answers/snapshots.h"

int clew_snapshot(const char *path)
{
	return snapshot_write(path);
}
