/* SPDX-License-Identifier: MIT */
/*
 * Lists code whose calls are not counted although no option excludes it, by
 * module: code of hooked modules that belongs to no known function, and modules
 * that could not be hooked. Known functions of hooked modules that are not
 * hooked are not listed here.
 */
#ifndef CLEW_VIEW_GAPS_H
#define CLEW_VIEW_GAPS_H

#include "report/model/function_catalog.h"

struct coverage_gap {
	uint32_t module;
	/*
	 * Size of the code in bytes. 0 if the module is not hooked, for the
	 * reason in its state.
	 */
	uint64_t bytes;
};

struct gaps {
	/* Items with bytes first, in descending order. */
	struct coverage_gap *items;
	size_t count;
	size_t hooked;  /* number of items in hooked modules */
	uint64_t bytes; /* sum over these items */
};

void gaps_init(struct gaps *gaps, const struct catalog *catalog);
void gaps_fini(struct gaps *gaps);

#endif
