/* SPDX-License-Identifier: MIT */
/*
 * What is done with a module (executable or shared object) that has been loaded or
 * unloaded: its functions are found, recorded and hooked, or let go of.
 */
#ifndef CLEW_HOOKING_HOOK_H
#define CLEW_HOOKING_HOOK_H

#include "preload/hooking/cold.h"

/*
 * Bring everything up to date with what is loaded: new modules are analysed,
 * recorded, and hooked, unloaded ones retired. One that was unloaded and is
 * loaded to the same place again goes on where it was.
 *
 * Before main, and whenever the loader has changed something and holds its
 * lock: nothing may run in new modules yet. Calls libc. 0 or -errno.
 */
int hook_update(struct cold *cold);

/*
 * Make and keep stubs and hooked text of config.warmed_files, which are mapped and not
 * loaded: nothing of them runs. The process must end then. *kept: what is kept of the
 * program (enum wire_warmed). 0 or -errno.
 */
int hook_warm(struct cold *cold, uint32_t *kept);

/* Retire what was unloaded, and nothing else. Likewise. */
int hook_retire(struct cold *cold);

#endif
