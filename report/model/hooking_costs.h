/* SPDX-License-Identifier: MIT */
/*
 * Cost of hooking modules, over all processes of a recording: CPU time of clew.
 * Cost before main() is in no context's time.
 */
#ifndef CLEW_MODEL_HOOKING_COSTS_H
#define CLEW_MODEL_HOOKING_COSTS_H

#include <stddef.h>
#include <stdint.h>

#include "report/recording/part_reader.h"

struct hooking_cost {
	char *path;     /* path of the module's file, printable */
	uint64_t loads; /* how often the module was hooked */
	/* number of loads whose analysis was not in the cache */
	uint64_t uncached;
	uint64_t analysis_ns; /* as in struct wire_hooking */
	uint64_t patch_ns;
	uint64_t before_ns; /* sum of both costs before programs began */
};

struct hooking_costs {
	/* after hooking_costs_sort(), most expensive first */
	struct hooking_cost *items;
	size_t count, capacity;
	uint64_t start_ns; /* all costs of the start before programs began */
};

/* The caller sets *costs to zeros, adds each part, and then sorts the items. */
void hooking_costs_add(struct hooking_costs *costs,
		       const struct part_copy *part);
void hooking_costs_sort(struct hooking_costs *costs);
void hooking_costs_fini(struct hooking_costs *costs);

static inline uint64_t hooking_cost_ns(const struct hooking_cost *cost)
{
	return cost->analysis_ns + cost->patch_ns;
}

#endif
