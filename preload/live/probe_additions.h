/* SPDX-License-Identifier: MIT */
/*
 * Prepares user probes that are added while the program runs. These functions
 * search all loaded modules for the probes' locations and write the probes'
 * code, but no jump leads there yet (probe_switch.h).
 *
 * The calling thread must have the turn (hooking_turn.h).
 */
#ifndef CLEW_LIVE_PROBE_ADDITIONS_H
#define CLEW_LIVE_PROBE_ADDITIONS_H

#include "image/arena.h"
#include "preload/hooking/cold.h"
#include "preload/patch/patch_prepare.h"
#include "preload/probe/probe_places.h"

struct probe_additions {
	struct cold *cold;
	/* memory of the preparation; the caller frees it */
	struct arena scratch;
	struct patch_workshop workshop;
	uint32_t wanted; /* a bit for each probe to search for */
	struct additions_module {
		struct additions_module *next;
		struct module *module;
		struct probe_places places;
	} * modules;
};

/*
 * Prepares all wanted probes of the configuration together, because reading a
 * module's code may take a second. Returns 0 or -errno.
 */
int probe_additions_prepare(struct probe_additions *adding);

/*
 * Returns the reason for the first location that cannot be patched, or NO_NAME
 * or NO_MODULE if the probe has no location.
 */
enum probe_reason probe_additions_reason(const struct probe_additions *adding,
					 uint32_t number);

/* Records the locations of a probe. */
void probe_additions_record(const struct probe_additions *adding,
			    uint32_t number);

#endif
