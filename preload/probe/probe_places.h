/* SPDX-License-Identifier: MIT */
/*
 * The places of the user's probes in a module that is about to be hooked, and what
 * they mean for its hooks. Both write over code; where they meet
 *
 *	at the first byte of a hook	the function's stub leads to the probe
 *					(PROBE_BY_STUB): both are there
 *	anywhere else in its bytes	the function is not hooked, but probed
 *	in what is watched		there is no probe (probe.h)
 *
 * In a module that is hooked already nothing of that can be changed any more: there
 * is a probe at the first byte of a hook, or where no hook and no other probe is.
 *
 * Under the loader's lock, as hook_update().
 */
#ifndef CLEW_PROBE_PROBE_PLACES_H
#define CLEW_PROBE_PROBE_PLACES_H

#include "image/probe_spec.h"
#include "preload/host/config.h"
#include "preload/modules/candidate.h"

struct probe_place {
	struct probe_site site;
	uint32_t probe;    /* its number */
	uint32_t function; /* index of the one it is in */
	uint8_t tier;      /* enum probe_tier: what became of it */
	uint8_t reason;    /* enum probe_reason, likewise */
	uint8_t is_leaf;   /* that function: wire_is_leaf() */
};

struct probe_places {
	struct probe_place *list;
	uint32_t count;
	uint32_t room;
	struct arena *arena;
	uint32_t wanted; /* a bit for each probe that is looked for */
	int is_late;     /* the module is hooked already */
	struct probe_place last[WIRE_PROBES_MAX]; /* list without memory */
};

#define PROBE_PLACES_ALL (~UINT32_C(0))

/* Those that are not to be looked for as modules come: they are removed. */
uint32_t probe_places_removed(const struct config *config);

/*
 * Find them, before stubs are made: functions whose hooks are in the way get
 * another verdict. Of a module that is not hooked only that is found. has_traps:
 * breakpoints may be used. 0 or -ENOMEM.
 */
int probe_places_find(struct probe_places *places, const struct config *config,
		      const struct candidate *candidate, int is_program,
		      int has_traps);

#endif
