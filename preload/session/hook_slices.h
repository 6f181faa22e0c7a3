/* SPDX-License-Identifier: MIT */
/*
 * Runs hook_update() in slices. clew borrows a thread of the program for each
 * slice and returns it afterwards, because the whole work would stop that
 * thread for too long (sys/slices.h). Each slice first checks which modules the
 * loader has unloaded since the former slice; these are not read any more.
 */
#ifndef CLEW_SESSION_HOOK_SLICES_H
#define CLEW_SESSION_HOOK_SLICES_H

#include "preload/hooking/cold.h"

/*
 * Runs one slice, the first or the next. Returns 0 when hooking is complete,
 * -EINPROGRESS while slices remain, -EAGAIN while the loader is changing its
 * list, or another -errno, which ends the work. *loaded becomes the
 * lookup_generation() at which the modules were listed.
 */
int hook_slice(struct cold *cold, uint64_t *loaded);

/* Returns whether slices remain. */
int hook_slices_are_left(void);

/* Drops the remaining slices, in a child that was forked between two slices. */
void hook_slices_forget(void);

#endif
