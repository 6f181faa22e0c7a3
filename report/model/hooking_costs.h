/* SPDX-License-Identifier: MIT */
/*
 * What it took to hook modules, over all processes of a recording: CPU time of clew's,
 * which is in no context's time where it was before the program began.
 */
#ifndef CLEW_MODEL_HOOKING_COSTS_H
#define CLEW_MODEL_HOOKING_COSTS_H

#include <stddef.h>
#include <stdint.h>

#include "report/recording/part_reader.h"

struct hooking_cost {
	char *path;           /* of the module's file, printable */
	uint64_t loads;       /* how often it was hooked */
	uint64_t uncached;    /* of these, without an analysis in the cache */
	uint64_t analysis_ns; /* as struct wire_hooking has it */
	uint64_t patch_ns;
	uint64_t before_ns; /* of both, before programs began */
};

struct hooking_costs {
	struct hooking_cost *items; /* the dearest first */
	size_t count, capacity;
	uint64_t start_ns; /* until programs began, these and all else */
};

/* Zero-initialised, it is given each part, and then put in order. */
void hooking_costs_add(struct hooking_costs *costs,
		       const struct part_copy *part);
void hooking_costs_sort(struct hooking_costs *costs);
void hooking_costs_fini(struct hooking_costs *costs);

static inline uint64_t hooking_cost_ns(const struct hooking_cost *cost)
{
	return cost->analysis_ns + cost->patch_ns;
}

#endif
