/* SPDX-License-Identifier: MIT */
/*
 * clew_snapshot(): writes a recording of the activity so far, beside the
 * process's own.
 */
#include "agent/clew.h"
#include "preload/answers/snapshots.h"

int clew_snapshot(const char *path)
{
	return snapshot_write(path);
}
