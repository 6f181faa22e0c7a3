/* SPDX-License-Identifier: MIT */
/*
 * One user probe in a module, as a patch of its own (patch.h). The patch is
 * written together with the patch of the module's hooks, or live.
 */
#ifndef CLEW_PROBE_PROBE_PATCH_H
#define CLEW_PROBE_PROBE_PATCH_H

#include "preload/patch/patch_prepare.h"
#include "preload/probe/probe_places.h"
#include "preload/stubs/probe.h"

/*
 * Prepares the patch of a probe from the probe's locations, after
 * patch_prepare() of the module's hooks, which are a chain (next_of_module). If
 * the module is already hooked, the patch is disabled at first. A hit calls
 * `handler`, as stubs/probe.h describes, with the probe's number as argument.
 * If a location cannot be patched, stores the reason in it. Returns 0 or
 * -ENOMEM.
 */
int probe_patch_prepare(struct patch *patch, struct module *module,
			struct patch *hooks, struct patch_workshop *workshop,
			struct probe_places *places, uint32_t probe,
			probe_handler handler);

#endif
