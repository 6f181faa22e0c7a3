/* SPDX-License-Identifier: MIT */
/*
 * Hooking all that is selected: from the loader's list of modules to jumps in
 * their code, with everything that was decided written into the recording.
 */
#ifndef CLEW_PRELOAD_HOOK_H
#define CLEW_PRELOAD_HOOK_H

#include "image/arena.h"
#include "preload/cold.h"

/*
 * Hook the modules that are loaded now. The process must be alone in their
 * code. 0, or -errno when nothing could be hooked at all; what happened to
 * each module and function is in the recording. Calls libc, until it patches.
 */
int hook_loaded_modules(struct cold *cold, struct arena *arena);

#endif
