/* SPDX-License-Identifier: MIT */
/*
 * The user's probes in the modules of one pass (hook.c): found before the stubs of a module
 * are made, prepared behind them, recorded when all is committed.
 *
 * Whoever hooks, in its turn (hooking_turn.h).
 */
#ifndef CLEW_HOOKING_HOOK_PROBES_H
#define CLEW_HOOKING_HOOK_PROBES_H

#include "preload/hooking/cold.h"
#include "preload/modules/candidate.h"
#include "preload/patch/patch_prepare.h"
#include "preload/probe/probe_places.h"

/* What there is of them in a candidate's module. */
struct probed_candidate {
	struct probed_candidate *next;
	struct candidate *candidate;
	struct probe_places places;
};

/* Those of a pass; begins with cold and scratch, the rest 0. */
struct hook_probes {
	struct cold *cold;
	struct arena *scratch;
	struct probed_candidate *first;
	struct probed_candidate last; /* for which there was no memory */
};

/* Before stubs are made; NULL: there are none in this module. */
struct probed_candidate *hook_probes_find(struct hook_probes *probes,
					  struct candidate *candidate,
					  int has_traps);

/* Behind the stubs of the module, if there are probes. */
void hook_probes_prepare(struct hook_probes *probes,
			 struct patch_workshop *workshop,
			 struct probed_candidate *probed);

void hook_probes_record(struct hook_probes *probes);

#endif
