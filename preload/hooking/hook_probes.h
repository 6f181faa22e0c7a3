/* SPDX-License-Identifier: MIT */
/*
 * The user's probes in the modules of one pass (hook.c). The pass searches for
 * probes before a module's stubs are created, prepares them after the stubs,
 * and records them after all patches are committed.
 *
 * The calling thread must have the turn (hooking_turn.h).
 */
#ifndef CLEW_HOOKING_HOOK_PROBES_H
#define CLEW_HOOKING_HOOK_PROBES_H

#include "preload/hooking/cold.h"
#include "preload/modules/candidate.h"
#include "preload/patch/patch_prepare.h"
#include "preload/probe/probe_places.h"

/* The probes in a candidate's module. */
struct probed_candidate {
	struct probed_candidate *next;
	struct candidate *candidate;
	struct probe_places places;
};

/* The probes of a pass. Initialize cold and scratch, and set the rest to 0. */
struct hook_probes {
	struct cold *cold;
	struct arena *scratch;
	struct probed_candidate *first;
	/*
	 * Used for the first candidate for which no memory could be allocated.
	 */
	struct probed_candidate last;
};

/*
 * Searches the candidate's module for the locations of probes. Call it before
 * the module's stubs are created. Returns NULL if the user has no probes, or
 * there is no memory.
 */
struct probed_candidate *hook_probes_find(struct hook_probes *probes,
					  struct candidate *candidate,
					  int has_traps);

/*
 * Creates the code of the probes that were found. Call it after the module's
 * stubs were created.
 */
void hook_probes_prepare(struct hook_probes *probes,
			 struct patch_workshop *workshop,
			 struct probed_candidate *probed);

void hook_probes_record(struct hook_probes *probes);

#endif
