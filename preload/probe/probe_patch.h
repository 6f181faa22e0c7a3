/* SPDX-License-Identifier: MIT */
/*
 * One of the user's probes, in a module, as a patch of its own (patch.h): written
 * together with the one that has the module's hooks, or live.
 */
#ifndef CLEW_PROBE_PROBE_PATCH_H
#define CLEW_PROBE_PROBE_PATCH_H

#include "preload/patch/patch_prepare.h"
#include "preload/probe/probe_places.h"
#include "preload/stubs/probe.h"

/*
 * Make what is to be written for a probe's places, behind patch_prepare() of the
 * module's hooks, of which there is a chain (next_of_module). Late, it is disabled.
 * `handler` is called as probe.h says, with the number of the probe. A place that gets
 * none after all says why. 0 or -ENOMEM.
 */
int probe_patch_prepare(struct patch *patch, struct module *module,
			struct patch *hooks, struct patch_workshop *workshop,
			struct probe_places *places, uint32_t probe,
			probe_handler handler);

#endif
