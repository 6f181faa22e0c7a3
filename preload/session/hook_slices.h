/* SPDX-License-Identifier: MIT */
/*
 * hook_update() in slices, for threads that the program misses meanwhile
 * (sys/slices.h). What the loader does between two of them is found out at the second: of
 * modules that are gone by then nothing is read any more.
 */
#ifndef CLEW_SESSION_HOOK_SLICES_H
#define CLEW_SESSION_HOOK_SLICES_H

#include "preload/hooking/cold.h"

/*
 * A slice, the first or the next one. 0 when all are over, -EINPROGRESS before;
 * -EAGAIN while the loader is changing its list; or another -errno, and it is over.
 * *loaded is what lookup_generation() was when modules were listed.
 */
int hook_slice(struct cold *cold, uint64_t *loaded);

/* Whether there is a next one. */
int hook_slices_are_left(void);

/* There is none any more: in a child that was forked between two. */
void hook_slices_forget(void);

#endif
