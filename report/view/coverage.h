/* SPDX-License-Identifier: MIT */
/* Numbers of functions that are hooked, and of the others by verdict. */
#ifndef CLEW_VIEW_COVERAGE_H
#define CLEW_VIEW_COVERAGE_H

#include <stdint.h>

#include "report/model/function_catalog.h"
#include "wire/verdict.h"

struct coverage {
	uint64_t hooked;
	uint64_t refused; /* number of functions that cannot be hooked */
	/*
	 * number of functions that are not hooked because of a rule or their
	 * behaviour
	 */
	uint64_t left_alone;
	/* number of pieces of code that are no function */
	uint64_t not_entries;
	/* number of hooked functions for which catalog_loops() returns 1 */
	uint64_t looping;
	uint64_t bare_bytes; /* size of code with VERDICT_IS_BARE */
	uint64_t by_verdict[VERDICT_COUNT];
};

/* Returns the number of functions to which shares of "all functions" refer. */
static inline uint64_t coverage_eligible(const struct coverage *coverage)
{
	return coverage->hooked + coverage->refused;
}

/* The class of a verdict in these sums. */
enum coverage_class {
	COVERAGE_HOOKED,
	COVERAGE_REFUSED,
	COVERAGE_LEFT_ALONE,
	COVERAGE_NOT_ENTRY,
};

enum coverage_class coverage_class(unsigned int verdict);

/* Returns one entry for each module of the catalog; the caller frees them. */
struct coverage *coverage_of_modules(const struct catalog *catalog);

/* Sums up hooked modules and returns their number. */
uint64_t coverage_total(const struct catalog *catalog,
			const struct coverage *modules, struct coverage *total);

/*
 * Returns the share of eligible functions that are hooked without the much more
 * expensive breakpoint, in hundredths of a percent, rounded down. 100 % if no
 * function is eligible.
 */
unsigned int coverage_without_trap(const struct coverage *coverage);

/* Sorts all verdicts by frequency, descending. */
void coverage_order(const struct coverage *coverage,
		    uint8_t order[VERDICT_COUNT]);

#endif
