/* SPDX-License-Identifier: MIT */
/*
 * The user's probes of a module as a patch of its own (patch.h), written together
 * with the one that has its hooks.
 */
#ifndef CLEW_PROBE_PROBE_PATCH_H
#define CLEW_PROBE_PROBE_PATCH_H

#include "preload/patch/patch_prepare.h"
#include "preload/probe/probe_places.h"
#include "preload/stubs/probe.h"

/*
 * Make what is to be written for the places, behind patch_prepare() of the hooks,
 * to which the patch is chained. `handler` is called as probe.h says, with the
 * number of the probe. A place that gets no probe after all says why. 0 or -ENOMEM.
 */
int probe_patch_prepare(struct patch *patch, struct patch *hooks,
			struct patch_workshop *workshop,
			struct probe_places *places, probe_handler handler);

#endif
