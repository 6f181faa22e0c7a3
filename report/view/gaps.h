/* SPDX-License-Identifier: MIT */
/*
 * The code whose calls no count has, without anybody having asked for that: in
 * hooked modules what belongs to no function that is known, and modules that
 * could not be hooked at all.
 */
#ifndef CLEW_VIEW_GAPS_H
#define CLEW_VIEW_GAPS_H

#include "report/model/function_catalog.h"

struct coverage_gap {
	uint32_t module;
	uint64_t
		bytes; /* of code; 0: the module is not hooked, its state why */
};

struct gaps {
	/* Those with most bytes first, then the others. */
	struct coverage_gap *items;
	size_t count;
	size_t hooked;  /* of these: in modules that are hooked */
	uint64_t bytes; /* in these */
};

void gaps_init(struct gaps *gaps, const struct catalog *catalog);
void gaps_fini(struct gaps *gaps);

#endif
