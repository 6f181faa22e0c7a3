/* SPDX-License-Identifier: MIT */
/*
 * The locations of the user's probes in a module that is about to be hooked,
 * and their effect on its hooks. Probes and hooks both overwrite code. Where
 * they meet:
 *
 *	at the first byte of a hook	the function's stub leads to the probe
 *					(PROBE_BY_STUB), and both work
 *	elsewhere in a hook's bytes	the function is not hooked, but probed
 *	in code that clew watches	the probe is refused (probe.h)
 *
 * In a module that is already hooked, hooks cannot change any more. A probe is
 * possible at the first byte of a hook, or where neither a hook nor another
 * probe is.
 *
 * The caller has the turn (hooking_turn.h).
 */
#ifndef CLEW_PROBE_PROBE_PLACES_H
#define CLEW_PROBE_PROBE_PLACES_H

#include "image/probe_spec.h"
#include "preload/host/config.h"
#include "preload/modules/candidate.h"

struct probe_place {
	struct probe_site site;
	uint32_t probe;    /* number of the probe */
	uint32_t function; /* index of the function that contains it */
	uint8_t tier;      /* enum probe_tier */
	uint8_t reason;    /* enum probe_reason: why no jump, or no probe */
	uint8_t is_leaf;   /* the function is a leaf: wire_is_leaf() */
};

struct probe_places {
	struct probe_place *list;
	uint32_t count;
	uint32_t room;
	struct arena *arena;
	uint32_t wanted; /* a bit for each probe to search for */
	int is_late;     /* the module is hooked already */
	/* used as `list` if no memory could be allocated */
	struct probe_place last[WIRE_PROBES_MAX];
};

#define PROBE_PLACES_ALL (~UINT32_C(0))

/*
 * Returns a bit for each removed probe. Modules that are loaded later are not
 * searched for these.
 */
uint32_t probe_places_removed(const struct config *config);

/*
 * Finds the locations before stubs are created. Functions whose hooks overlap a
 * probe get another verdict. In a module that is not hooked, all probes that
 * name it are refused. has_traps: breakpoints may be used. Returns 0 or
 * -ENOMEM.
 */
int probe_places_find(struct probe_places *places, const struct config *config,
		      const struct candidate *candidate, int is_program,
		      int has_traps);

#endif
